import { matchCodeRule } from './codes/code-rule.ts'
import { COMMON_MONEY_CODES } from './codes/common-codes.ts'
import type { ErrorEnvelope } from './envelope/error-envelope.ts'
import { MONEY_WALL, verdict, type Verdict } from './verdict.ts'
import { statesReset } from './waits/retry-after.ts'
import {
  limitWindow,
  OVERLOAD_WORDING,
  saysOurLimit,
  SHORTAGE_WORDING,
  withoutDenials,
} from './wording/capacity-wording.ts'
import { affordableTokens, saysComesBack, saysNoMoney } from './wording/money-wording.ts'
import { matchWording } from './wording/wording.ts'

/** Judges what an answer says of money; null = nothing. Quota that comes back by itself is no empty account. */
export function judgeMoney(envelope: ErrorEnvelope, status: number): Verdict | null {
  const { inner } = envelope
  const message = withoutDenials(envelope.message)
  const affordable = affordableTokens(message)
  if (affordable !== null) {
    return affordable > 0 ? verdict('quota_exhausted', { class: 'degradable', scope: 'request' }) : MONEY_WALL
  }
  if (status >= 500) {
    // A relay whose own account is empty: no key of ours helps, and it may be filled at any time.
    return saysNoMoney(`${message} ${inner}`) ? verdict('site_capacity', { scope: 'provider' }) : null
  }
  if (![400, 402, 403, 404, 412, 429].includes(status)) return null
  const comesBack = saysComesBack(message) || statesReset(envelope.document)
  if (status === 402 && comesBack) return verdict('quota_exhausted')
  const noMoney = saysNoMoney(message)
  const coded =
    status === 429 && !noMoney && saysPassing(message)
      ? null
      : matchCodeRule(COMMON_MONEY_CODES, envelope, status)
  const wall = coded ?? (noMoney ? MONEY_WALL : null)
  if (!wall) return null
  return comesBack ? verdict('quota_exhausted') : wall
}

/** Some hosts put a code about money on every 429; their words tell a limit of a minute, or a load, from an empty account. */
function saysPassing(message: string): boolean {
  if (saysOurLimit(message)) return limitWindow(message) === 'short'
  return (matchWording(SHORTAGE_WORDING, message) ?? matchWording(OVERLOAD_WORDING, message)) !== null
}
