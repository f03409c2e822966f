import type { Settings } from '../settings/settings.ts'
import type { ModelTally, ProviderTally } from './provider-tally.ts'
import { isLive, type Buckets, type WindowShape } from './window.ts'

/** What a counter attribute counts; its name is the prefix and the bucket's number. */
export const COUNTERS = {
  /** Structural evidence against an endpoint. */
  evidence: 'e',
  /** Failures that may bench an endpoint. */
  bench: 'b',
  /** Of a provider, for its breaker, each by model: successes, failures, and those of the host itself among them. */
  ok: 'o',
  failed: 'f',
  hostFailed: 'h',
  /** Per day and endpoint, for people and for ordering: calls that were answered, and those that were not. */
  dayOk: 'do',
  dayFailed: 'df',
  /** The same of the last hour. */
  lateOk: 'r',
  lateFailed: 's',
  /** How the first outputs of the last hour compare with the usual ones, in percent of them, summed up. */
  latePace: 't',
  /** Calls of the last minutes. */
  recentOk: 'p',
  recentFailed: 'q',
  /** Times to the first output by size of the prompt; the tag is the bin, in hexadecimal digits. */
  firstSmall: 'x',
  firstMedium: 'y',
  firstLarge: 'z',
  /** Output tokens, the milliseconds in which they came, and the answers that they were of. */
  outTokens: 'u',
  outMs: 'v',
  outAnswers: 'w',
  /** Counted by an earlier version; known here so that it is removed when its day is over. */
  dayMs: 'dm',
} as const
export type CounterKind = keyof typeof COUNTERS

/** What one call counts in, by how it ended: the longer the window, the less it says of now. */
export const SUCCESS_COUNTERS = ['recentOk', 'lateOk', 'dayOk'] as const satisfies readonly CounterKind[]
export const FAILURE_COUNTERS = [
  'recentFailed',
  'lateFailed',
  'dayFailed',
] as const satisfies readonly CounterKind[]

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Fixed shapes; the breaker's and the evidence window reach as far as the settings say. */
export const BENCH_WINDOW: WindowShape = { windowMs: 15 * MINUTE, bucketMs: MINUTE }
export const DAY_WINDOW: WindowShape = { windowMs: 7 * DAY, bucketMs: DAY }
export const LATE_WINDOW: WindowShape = { windowMs: HOUR, bucketMs: 20 * MINUTE }
export const RECENT_WINDOW: WindowShape = { windowMs: 6 * MINUTE, bucketMs: 2 * MINUTE }
/** Of a histogram two buckets are kept, so that half a day is behind every figure and an item stays small. */
export const SPEED_WINDOW: WindowShape = { windowMs: DAY, bucketMs: 12 * HOUR }
export const evidenceWindow = (windowMs: number): WindowShape => ({
  windowMs,
  bucketMs: Math.max(MINUTE, Math.ceil(windowMs / 24)),
})
export const breakerWindow = (windowMs: number): WindowShape => ({ windowMs, bucketMs: 30_000 })

/** Counters whose windows no setting changes. */
export type FixedKind = Exclude<CounterKind, 'evidence' | 'ok' | 'failed' | 'hostFailed'>
export const FIXED_WINDOWS: Record<FixedKind, WindowShape> = {
  bench: BENCH_WINDOW,
  dayOk: DAY_WINDOW,
  dayFailed: DAY_WINDOW,
  dayMs: DAY_WINDOW,
  lateOk: LATE_WINDOW,
  lateFailed: LATE_WINDOW,
  latePace: LATE_WINDOW,
  recentOk: RECENT_WINDOW,
  recentFailed: RECENT_WINDOW,
  firstSmall: SPEED_WINDOW,
  firstMedium: SPEED_WINDOW,
  firstLarge: SPEED_WINDOW,
  outTokens: SPEED_WINDOW,
  outMs: SPEED_WINDOW,
  outAnswers: SPEED_WINDOW,
}

/** The window of a counter under these settings. */
export function windowOf(
  kind: CounterKind,
  settings: Pick<Settings, 'endpoint_window_ms' | 'breaker_window_ms'>,
): WindowShape {
  if (kind === 'evidence') return evidenceWindow(settings.endpoint_window_ms)
  if (kind === 'ok' || kind === 'failed' || kind === 'hostFailed')
    return breakerWindow(settings.breaker_window_ms)
  return FIXED_WINDOWS[kind]
}

/** The attribute of one bucket; `tag` where a kind is counted by model. */
export const counterName = (kind: CounterKind, bucket: number, tag?: string): string =>
  `${COUNTERS[kind]}${bucket}${tag === undefined ? '' : `_${tag}`}`

const MOST_NAMES = 1_000

/** The same, made once for each bucket: to make a name anew, and to find it among others, takes longer than to count. */
export function createNames(): typeof counterName {
  const made = new Map<string | undefined, Map<CounterKind, { bucket: number; name: string }>>()
  return (kind, bucket, tag) => {
    const byKind = made.get(tag) ?? new Map<CounterKind, { bucket: number; name: string }>()
    const last = byKind.get(kind)
    if (last?.bucket === bucket) return last.name
    if (byKind.size === 0) {
      if (made.size >= MOST_NAMES) made.clear()
      made.set(tag, byKind)
    }
    const name = counterName(kind, bucket, tag)
    byKind.set(kind, { bucket, name })
    return name
  }
}

/** What one attribute counts. */
export type Counter = { kind: CounterKind; bucket: number; tag: string | undefined }

const isCounterKind = (name: string): name is CounterKind => Object.hasOwn(COUNTERS, name)
const KIND_OF: ReadonlyMap<string, CounterKind> = new Map(
  Object.keys(COUNTERS)
    .filter(isCounterKind)
    .map(kind => [COUNTERS[kind], kind]),
)

/** What an attribute counts; null where it is no counter of ours. */
export function readName(name: string): Counter | null {
  const [, prefix = '', bucket, tag] = /^([a-z]+)(\d+)(?:_([0-9a-f]+))?$/.exec(name) ?? []
  const kind = KIND_OF.get(prefix)
  return kind === undefined || bucket === undefined ? null : { kind, bucket: Number(bucket), tag }
}

/** The buckets of one kind among an item's attributes; those of all models together. */
export function bucketsOf(counters: Readonly<Record<string, number>>, kind: CounterKind): Buckets {
  const buckets = new Map<number, number>()
  for (const [name, count] of Object.entries(counters)) {
    const found = readName(name)
    if (found?.kind === kind) buckets.set(found.bucket, (buckets.get(found.bucket) ?? 0) + count)
  }
  return buckets
}

/** Attributes whose bucket counts no more, of these kinds. */
export function expiredNames(
  counters: Readonly<Record<string, number>>,
  shapeOf: (kind: CounterKind) => WindowShape,
  now: number,
): readonly string[] {
  return Object.keys(counters).filter(name => {
    const found = readName(name)
    return found !== null && !isLive(found.bucket, now, shapeOf(found.kind))
  })
}

/** Every attribute of these kinds, whatever its bucket. */
export const namesOf = (
  counters: Readonly<Record<string, number>>,
  kinds: readonly CounterKind[],
): string[] =>
  Object.keys(counters).filter(name => {
    const found = readName(name)
    return found !== null && kinds.includes(found.kind)
  })

/** What the shards of a provider's counters hold now, by model. */
export function providerTallyOf(
  shards: readonly Readonly<Record<string, number>>[],
  shape: WindowShape,
  now: number,
): ProviderTally {
  const tally = new Map<string, ModelTally>()
  const newest = Math.floor(now / shape.bucketMs)
  for (const shard of shards) {
    for (const [name, count] of Object.entries(shard)) {
      const found = readName(name)
      if (!found || found.tag === undefined || !isLive(found.bucket, now, shape)) continue
      const model = tally.get(found.tag) ?? { successes: 0, failures: 0, hostFailures: 0, recentSuccesses: 0 }
      if (found.kind === 'ok') model.successes += count
      if (found.kind === 'ok' && found.bucket >= newest - 1) model.recentSuccesses += count
      if (found.kind === 'failed') model.failures += count
      if (found.kind === 'hostFailed') model.hostFailures += count
      tally.set(found.tag, model)
    }
  }
  return tally
}
