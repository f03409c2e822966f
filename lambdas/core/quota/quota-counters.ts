import { QUOTAS, QUOTA_NAMES, type QuotaCounters, type QuotaName } from './quotas.ts'

/** A bucket's number among the attributes of an item: `rm1790000000`. */
const BUCKET = /^([a-z]+)(\d+)$/

const NAME_OF: ReadonlyMap<string, QuotaName> = new Map(QUOTA_NAMES.map(name => [QUOTAS[name].prefix, name]))

/** The bucket of an instant; for requests at a time, of the one at which the lease ends. */
export const bucketOf = (name: QuotaName, at: number): number => Math.floor(at / QUOTAS[name].bucketMs)

export const bucketName = (name: QuotaName, bucket: number): string => `${QUOTAS[name].prefix}${bucket}`

/** Counts every claim that was ever made: how much it has grown tells what others took since one looked. */
export const totalName = (name: QuotaName): string => `${QUOTAS[name].prefix}_n`

/** What is claimed or given back (negative) at an instant, as it is added to the item. */
export const countsOf = (name: QuotaName, at: number, cost: number): Record<string, number> => ({
  [bucketName(name, bucketOf(name, at))]: cost,
  [totalName(name)]: cost,
})

/** When the last instant of a bucket counts no more. */
const endOf = (name: QuotaName, bucket: number): number =>
  (bucket + 1) * QUOTAS[name].bucketMs + QUOTAS[name].windowMs

export type Bucket = { bucket: number; count: number; endsAt: number }

/** The buckets of one quota that count now, oldest first. */
export function liveBuckets(counters: QuotaCounters, name: QuotaName, now: number): readonly Bucket[] {
  const found: Bucket[] = []
  for (const [attribute, count] of Object.entries(counters)) {
    const [, prefix, digits] = BUCKET.exec(attribute) ?? []
    if (prefix !== QUOTAS[name].prefix || digits === undefined) continue
    const bucket = Number(digits)
    const endsAt = endOf(name, bucket)
    if (endsAt > now) found.push({ bucket, count, endsAt })
  }
  return found.toSorted((one, other) => one.bucket - other.bucket)
}

export const sumOf = (buckets: readonly Bucket[]): number =>
  buckets.reduce((sum, { count }) => sum + count, 0)

/** What was claimed from the bucket of an instant on. */
export const usedSince = (buckets: readonly Bucket[], name: QuotaName, at: number): number =>
  sumOf(buckets.filter(({ bucket }) => bucket >= bucketOf(name, at)))

/** An update has its bounds, so that what has expired may go in several of them. */
const MOST_EXPIRED = 50

/** Buckets that count no more. */
export function expiredNames(counters: QuotaCounters, now: number): readonly string[] {
  const isExpired = (attribute: string): boolean => {
    const [, prefix = '', digits] = BUCKET.exec(attribute) ?? []
    const name = NAME_OF.get(prefix)
    return name !== undefined && endOf(name, Number(digits)) + 2 * QUOTAS[name].bucketMs <= now
  }
  return Object.keys(counters).filter(isExpired).slice(0, MOST_EXPIRED)
}
