import { matchCodeRule } from './codes/code-rule.ts'
import { COMMON_MONEY_CODES } from './codes/common-codes.ts'
import type { ErrorEnvelope } from './envelope/error-envelope.ts'
import { MONEY_WALL, verdict, type Verdict } from './verdict.ts'
import { statesReset } from './waits/retry-after.ts'
import { limitWindow, saysOurLimit, withoutDenials } from './wording/capacity-wording.ts'
import { affordableTokens, saysComesBack, saysNoMoney } from './wording/money-wording.ts'

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
  // Some hosts put a code about money on every 429; their words tell a limit of a minute from an empty account.
  const isOfMinutes = status === 429 && saysOurLimit(message) && limitWindow(message) === 'short'
  const coded = isOfMinutes ? null : matchCodeRule(COMMON_MONEY_CODES, envelope, status)
  const wall = coded ?? (saysNoMoney(message) ? MONEY_WALL : null)
  if (!wall) return null
  return comesBack ? verdict('quota_exhausted') : wall
}
