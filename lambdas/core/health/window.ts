/** A sliding window of counters: how far it reaches, and how wide one bucket is; milliseconds. */
export type WindowShape = { windowMs: number; bucketMs: number }

/** Counts by bucket number. */
export type Buckets = ReadonlyMap<number, number>

/** The bucket that an instant falls into. */
export function bucketAt(at: number, { bucketMs }: WindowShape): number {
  return Math.floor(at / bucketMs)
}

/** The first bucket that still counts. */
function firstLive(now: number, shape: WindowShape): number {
  return bucketAt(now - shape.windowMs, shape) + 1
}

/** The last bucket that counts: clocks that run ahead are a bucket ahead at most. */
function lastLive(now: number, shape: WindowShape): number {
  return bucketAt(now, shape) + 1
}

/** A number from another age: expired, or counted in buckets of another width, before a setting was changed. */
export const isLive = (bucket: number, now: number, shape: WindowShape): boolean =>
  bucket >= firstLive(now, shape) && bucket <= lastLive(now, shape)

/** What the window holds now; a bucket of a clock that runs ahead counts too. */
export function sumWindow(buckets: Buckets, now: number, shape: WindowShape): number {
  let sum = 0
  for (const [bucket, count] of buckets) if (isLive(bucket, now, shape)) sum += count
  return sum
}

/**
 * Every bucket that can count now, oldest first: what emptying the window removes. The last one belongs to clocks that
 * run ahead.
 */
export function liveBuckets(now: number, shape: WindowShape): readonly number[] {
  const first = firstLive(now, shape)
  return Array.from({ length: lastLive(now, shape) - first + 1 }, (_, index) => first + index)
}
