import type { Failure } from '../failures/failure.ts'
import { dailyRequests } from '../failures/waits/daily-requests.ts'
import { mayBeOfOwnFields } from '../health/client-fields.ts'
import { isConcurrency } from '../health/limit.ts'
import { allowanceOf } from './allowance.ts'
import { afterRefusal, type LearntQuota } from './learn-limit.ts'
import { readLimitHeaders, type StatedLimit } from './read-limit-headers.ts'
import { attributesOf, kindBetween, toldOf, type ToldLimit } from './told-limit.ts'
import { QUOTAS, type QuotaCounters, type QuotaRule } from './quotas.ts'

/** Anything longer is no limit of a minute. */
const A_MINUTE_MS = 61_000
/** Limits that refusals cannot show: of tokens, or of more than a minute. */
const OTHER_LIMITS = /\btokens?\b|\bTP[MD]\b|\b(?:per[ -])?(?:day|hour|week|month)\b|\bdaily\b|\bhourly\b/i

const STATED: ReadonlySet<ToldLimit['kind']> = new Set(['untold', 'window', 'bucket'])

/** A limit as headers state it, with how it is known to come back. */
export function toldBy(
  stated: StatedLimit,
  before: ToldLimit | null,
  sentAt: number,
  total: number,
): ToldLimit {
  const { limit, remaining, endsAt } = stated
  const known = before !== null && STATED.has(before.kind) ? before : null
  const told: ToldLimit = {
    kind: known?.kind ?? 'untold',
    limit,
    remaining,
    at: sentAt,
    total,
    endsAt,
    doubts: 0,
  }
  return known ? { ...told, kind: kindBetween(known, told) } : told
}

/** A limit is worth everybody's counting once half of it is used, or where a moment could use it up. */
const SMALL_LIMIT = 64
export const isWorthCounting = ({ limit, remaining }: StatedLimit): boolean =>
  limit <= SMALL_LIMIT || remaining <= limit / 2

/** Whether a statement changes what others would reckon. */
export function isNews(
  told: ToldLimit,
  before: ToldLimit | null,
  rule: QuotaRule,
  counters: QuotaCounters,
  now: number,
): boolean {
  if (before === null || before.kind !== told.kind || before.limit !== told.limit || !STATED.has(before.kind))
    return true
  if (told.kind === 'untold') return true
  const expected = allowanceOf({ ...rule, declared: null }, counters, now)
  const after = allowanceOf(
    { ...rule, declared: null },
    { ...counters, ...attributesOf(rule.name, told) },
    now,
  )
  if (!expected || !after) return true
  // What refills is reckoned from the last statement: the longer ago, the less certain.
  const ageMs = told.at - before.at
  if (
    told.kind === 'bucket' &&
    ageMs > QUOTAS[rule.name].windowMs / 20 &&
    now > (before.at + before.endsAt) / 2
  )
    return true
  const isOtherWindow =
    told.kind === 'window' && Math.abs(told.endsAt - before.endsAt) > QUOTAS[rule.name].windowMs / 20
  return isOtherWindow || after.left < expected.left - Math.max(1, told.limit / 50)
}

/** What an answer's headers state, and where a refusal alone tells of a day's requests, its words. */
export function statedBy(
  headers: Readonly<Record<string, string>>,
  failure: Failure | null,
  {
    now,
    requestsCountDays,
    untilResetMs,
  }: { now: number; requestsCountDays: boolean; untilResetMs: number | null },
): readonly StatedLimit[] {
  const stated = readLimitHeaders(headers, { now, requestsCountDays })
  if (failure === null || (failure.kind !== 'rate_limit' && failure.kind !== 'quota_exhausted')) return stated
  if (stated.some(({ name }) => name === 'requestsPerDay')) return stated
  const limit = dailyRequests({ headers: {}, message: failure.message, requestsCountDays })
  const waitMs = failure.retryAfterMs ?? untilResetMs
  if (limit === null || waitMs === null || waitMs <= 0 || waitMs > QUOTAS.requestsPerDay.windowMs)
    return stated
  return [...stated, { name: 'requestsPerDay', limit, remaining: 0, endsAt: now + waitMs }]
}

/** Which limit that nobody stated a refusal may show; null = none. */
export function refusedBy(
  failure: Failure,
  ownFields: Parameters<typeof mayBeOfOwnFields>[1],
): LearntQuota | null {
  if (failure.kind !== 'rate_limit' || failure.relayed || mayBeOfOwnFields(failure, ownFields)) return null
  if (isConcurrency(failure)) return 'concurrency'
  const isOther = OTHER_LIMITS.test(failure.message) || (failure.retryAfterMs ?? 0) > A_MINUTE_MS
  return isOther ? null : 'requestsPerMinute'
}

/** What a refusal shows where neither the configuration nor the provider states that limit; null = nothing. */
export function learntBy(
  name: LearntQuota,
  isDeclared: boolean,
  counters: QuotaCounters,
  now: number,
): ToldLimit | null {
  const known = toldOf(counters, name)
  if (isDeclared || (known !== null && STATED.has(known.kind))) return null
  return afterRefusal(counters, name, now)
}
