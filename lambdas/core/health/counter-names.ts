import type { Buckets, WindowShape } from './window.ts'

/** What a counter attribute counts; its name is the prefix and the bucket's number. */
export const COUNTERS = {
  /** Structural evidence against an endpoint. */
  evidence: 'e',
  /** Failures that may bench an endpoint. */
  bench: 'b',
  /** Successes and failures of a provider, for its breaker. */
  ok: 'o',
  failed: 'f',
  /** Per day and endpoint, for people and for ordering: successes, failures, milliseconds to the first token. */
  dayOk: 'do',
  dayFailed: 'df',
  dayMs: 'dm',
} as const
export type CounterKind = keyof typeof COUNTERS

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Fixed shapes; the breaker's and the evidence window reach as far as the settings say. */
export const BENCH_WINDOW: WindowShape = { windowMs: 15 * 60_000, bucketMs: 60_000 }
export const DAY_WINDOW: WindowShape = { windowMs: 7 * DAY, bucketMs: DAY }
export const evidenceWindow = (windowMs: number): WindowShape => ({
  windowMs,
  bucketMs: Math.max(60_000, Math.ceil(windowMs / 24)),
})
export const breakerWindow = (windowMs: number): WindowShape => ({ windowMs, bucketMs: 30_000 })

/** The attribute of one bucket. */
export const counterName = (kind: CounterKind, bucket: number): string => `${COUNTERS[kind]}${bucket}`

/** The buckets of one kind among an item's attributes. */
export function bucketsOf(counters: Readonly<Record<string, number>>, kind: CounterKind): Buckets {
  const buckets = new Map<number, number>()
  for (const [name, count] of Object.entries(counters)) {
    const [, prefix, bucket] = /^([a-z]+)(\d+)$/.exec(name) ?? []
    if (prefix === COUNTERS[kind]) buckets.set(Number(bucket), count)
  }
  return buckets
}
