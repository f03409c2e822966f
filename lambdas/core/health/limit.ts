import type { Failure } from '../failures/failure.ts'
import { KINDS, SPECIAL_WAITS } from '../failures/kinds.ts'
import type { Guess, LongestBar } from './breaker.ts'
import type { BreakerScope, LimitTarget } from './breaker-scope.ts'
import type { Ladder } from './ladder.ts'

/** What a failure says of a limit: whom it bars, and for how long. */
export type Limit = {
  target: LimitTarget
  ladder: Ladder
  /** What the upstream asked for, in milliseconds, clamped; null = it did not say. */
  statedMs: number | null
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTH = 31 * DAY

const CONCURRENCY_WORDING =
  /\bconcurren(?:t|cy)\b|\bsimultaneous(?:ly)?\b|\bparallel (?:requests?|calls?|sessions?|connections?)\b|\bat the same time\b|\b(?:requests?|slots?) in (?:flight|parallel)\b/i

/** A limit on simultaneous requests: a slot is free as soon as one of them has ended. */
export const isConcurrency = ({ kind, message, code }: Failure): boolean =>
  (kind === 'rate_limit' || kind === 'site_capacity') &&
  (CONCURRENCY_WORDING.test(message) || /concurren/i.test(code ?? ''))

/** An account without money: it comes back when somebody pays. */
export const isMoney = (failure: Failure): boolean =>
  failure.kind === 'quota_exhausted' && failure.class === 'non_retryable'

const isOfAnEdge = ({ kind, scope }: Failure): boolean => kind === 'permission' && scope === 'endpoint'

/** Waits where none was stated; `untilReset` = milliseconds until the provider's known daily reset. */
function waitsOf(failure: Failure, untilReset: number | null): readonly number[] | null {
  if (isConcurrency(failure)) return SPECIAL_WAITS.concurrency
  if (isMoney(failure)) return SPECIAL_WAITS.money
  if (isOfAnEdge(failure)) return SPECIAL_WAITS.edge
  if (failure.kind === 'quota_exhausted' && untilReset !== null) return [untilReset]
  return KINDS[failure.kind].waitsMs
}

/** The longest that a statement about this kind is believed. */
function longestStated({ kind, scope, status, message }: Failure): number {
  const isTrouble = KINDS[kind].breaker || scope === 'endpoint' || (status !== null && status >= 500)
  if (isTrouble) return 10 * MINUTE
  return /\bmonth/i.test(message) ? MONTH : DAY
}

/** 0 and what has passed were not stated. */
const statedMsOf = (failure: Failure): number | null =>
  failure.retryAfterMs === null || failure.retryAfterMs <= 0
    ? null
    : Math.min(failure.retryAfterMs, longestStated(failure))

function targetOf({ scope, kind, relayed }: Failure): LimitTarget {
  // What another Backstop says of one alias holds for each of our keys, and for no other alias.
  if (relayed && kind !== 'auth') return 'model'
  const { ownLimit, breaker } = KINDS[kind]
  if (scope === 'key') return 'key'
  // One model's trouble must not bar its siblings: a provider in trouble is its breaker's business.
  if (scope === 'provider' && !breaker) return 'provider'
  return scope === 'model' && ownLimit !== null ? 'key-model' : 'model'
}

/** Which limit a failure speaks of; null = of none. Structural failures are health's business, not a limit. */
export function limitOf(failure: Failure, untilReset: number | null): Limit | null {
  if (failure.scope === 'request' || failure.scope === 'own_network') return null
  if (failure.structural && KINDS[failure.kind].ownLimit === null) return null
  const statedMs = statedMsOf(failure)
  const waitsMs = waitsOf(failure, untilReset)
  if (waitsMs === null && statedMs === null) return null
  return { target: targetOf(failure), ladder: { kind: 'steps', waitsMs: waitsMs ?? [] }, statedMs }
}

/** How often what a guess bars may be called when nothing else is left, in milliseconds. */
export const lastResortEvery = ({ kind, slots }: Guess, lastResortMs: number): number =>
  slots ? lastResortMs : (KINDS[kind].lastResortMs ?? lastResortMs)

const LEASE_MS = 10 * MINUTE

/** The longest that a breaker's item may bar from now on, whatever it says. */
export function longestBar(scope: BreakerScope): LongestBar {
  return scope.startsWith('limit#')
    ? { guessMs: DAY, statedMs: MONTH, leaseMs: LEASE_MS }
    : { guessMs: HOUR, statedMs: 0, leaseMs: LEASE_MS }
}

/** The whole key is barred only when a second model of it answers the same within this time, in milliseconds. */
export const SAME_KEY_WITHIN_MS = MINUTE
