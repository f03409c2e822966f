import { liveBuckets } from './quota-counters.ts'
import { QUOTAS, type Allowance, type QuotaCounters, type QuotaName } from './quotas.ts'

/** The last part of a limit, in which every request is claimed before it is sent. */
const LAST_SHARE = { minute: 0.2, day: 0.02 }
/** What instances that know nothing of one another may send within a moment. */
const UNSEEN_REQUESTS = 32
/** How long a picture of the counters may be old, in buckets of a minute's window. */
const UNSEEN_BUCKETS = 3

/** What the fleet used lately, in the time that a picture may be old. */
function usedLately(counters: QuotaCounters, name: QuotaName, now: number): number {
  const { windowMs, bucketMs } = QUOTAS[name]
  if (bucketMs !== QUOTAS.requestsPerMinute.bucketMs || windowMs === 0) return 0
  const first = Math.floor(now / bucketMs) - UNSEEN_BUCKETS + 1
  return liveBuckets(counters, name, now)
    .filter(({ bucket }) => bucket >= first)
    .reduce((sum, { count }) => sum + count, 0)
}

/**
 * Whether so little is left that the fleet might use it up before it notices: then each request is claimed first. Until
 * then requests are counted after their answers.
 */
export function isNearlySpent(
  { limit, left }: Allowance,
  { name, counters, cost, now }: { name: QuotaName; counters: QuotaCounters; cost: number; now: number },
): boolean {
  const isDay = QUOTAS[name].windowMs === QUOTAS.requestsPerDay.windowMs
  const last = limit * (isDay ? LAST_SHARE.day : LAST_SHARE.minute)
  return left <= Math.max(last, UNSEEN_REQUESTS * cost, 3 * usedLately(counters, name, now))
}

/** The part of what is left that is one instance's, where the table does not answer. */
export const shareOf = (left: number, instances: number): number => Math.floor(left / Math.max(1, instances))
