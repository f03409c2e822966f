import { FIRST_OUTPUT, PROMPT_SIZES, binEnds, type PromptSize } from '../health/answer-speed.ts'
import { FIXED_WINDOWS, readName, type Counter, type FixedKind } from '../health/counter-names.ts'
import { isLive } from '../health/window.ts'
import { recordOf } from '../record-of.ts'

/** Calls that were answered and calls that were not; fractions, because older ones weigh less. */
export type Outcomes = { successes: number; failures: number }

/** The times until the first output of `answers` answers, by bin of the histogram, in order. */
export type FirstOutput = { answers: number; bins: ReadonlyMap<number, number> }

/** What the fleet has counted of one endpoint. */
export type EndpointFigures = Outcomes & {
  /** Of the last hour alone. `successes` and `failures` are of seven days. */
  late: Outcomes
  /** The last calls, at most six minutes old: of what was counted before them as many as make them forty. */
  recent: Outcomes
  /** Of the last half day to day, by size of the prompt. */
  firstOutput: Readonly<Record<PromptSize, FirstOutput>>
  /** How the first outputs of the last hour compare with these: 2 = they take twice as long. */
  pace: number
  /** Of its output; null = not known. */
  tokensPerSecond: number | null
  /** Of an answer, on average; null = not known. */
  outputTokens: number | null
}

/** After so long, what was counted weighs half; milliseconds. */
const DAYS_HALVE_MS = 2 * 86_400_000
const LATE_HALVE_MS = 20 * 60_000

const RECENT_CALLS = 40

/** Fewer answers than these say little of a change. */
const USUAL_ANSWERS = 3

type Live = Counter & { kind: FixedKind; count: number }

const isFixed = (counter: Counter): counter is Counter & { kind: FixedKind } => counter.kind in FIXED_WINDOWS

/** What of these counters still counts. */
function liveCounters(counters: Readonly<Record<string, number>>, now: number): readonly Live[] {
  return Object.entries(counters).flatMap(([name, count]) => {
    const counter = readName(name)
    if (!counter || !isFixed(counter) || !isLive(counter.bucket, now, FIXED_WINDOWS[counter.kind])) return []
    return [{ ...counter, kind: counter.kind, count }]
  })
}

/** A bucket weighs less from its end on. */
function weightOf({ kind, bucket }: Live, halveMs: number, now: number): number {
  const endedAt = (bucket + 1) * FIXED_WINDOWS[kind].bucketMs
  return 0.5 ** (Math.max(0, now - endedAt) / halveMs)
}

/** The newest buckets in full, and of the one before them the part that is wanted. */
function recentOutcomes(live: readonly Live[]): Outcomes {
  const buckets = new Map<number, Outcomes>()
  for (const { kind, bucket, count } of live) {
    if (kind !== 'recentOk' && kind !== 'recentFailed') continue
    const held = buckets.get(bucket) ?? { successes: 0, failures: 0 }
    held[kind === 'recentOk' ? 'successes' : 'failures'] += count
    buckets.set(bucket, held)
  }
  const sum = { successes: 0, failures: 0 }
  for (const [, { successes, failures }] of [...buckets].toSorted(([one], [other]) => other - one)) {
    const missing = RECENT_CALLS - sum.successes - sum.failures
    if (missing <= 0) break
    const part = sum.successes + sum.failures > 0 ? Math.min(1, missing / (successes + failures)) : 1
    sum.successes += successes * part
    sum.failures += failures * part
  }
  return sum
}

/** A histogram of what was counted, in any order. */
export const firstOutputOf = (counts: ReadonlyMap<number, number>): FirstOutput => ({
  answers: [...counts.values()].reduce((total, count) => total + count, 0),
  bins: new Map([...counts].toSorted(([one], [other]) => one - other)),
})

/** Reads an endpoint's counters as they weigh at `now`. */
export function endpointFigures(counters: Readonly<Record<string, number>>, now: number): EndpointFigures {
  const live = liveCounters(counters, now)
  const sum = (kind: FixedKind, halveMs = Infinity): number =>
    live.reduce((total, one) => total + (one.kind === kind ? one.count * weightOf(one, halveMs, now) : 0), 0)
  const countedFor = (size: PromptSize): FirstOutput => {
    const bins = new Map<number, number>()
    for (const { kind, tag, count } of live) {
      if (kind !== FIRST_OUTPUT[size] || tag === undefined) continue
      const bin = Number.parseInt(tag, 16)
      bins.set(bin, (bins.get(bin) ?? 0) + count)
    }
    return firstOutputOf(bins)
  }
  const outMs = sum('outMs')
  const outTokens = sum('outTokens')
  const outAnswers = sum('outAnswers')
  return {
    successes: sum('dayOk', DAYS_HALVE_MS),
    failures: sum('dayFailed', DAYS_HALVE_MS),
    recent: recentOutcomes(live),
    late: { successes: sum('lateOk', LATE_HALVE_MS), failures: sum('lateFailed', LATE_HALVE_MS) },
    pace:
      (sum('latePace', LATE_HALVE_MS) / 100 + USUAL_ANSWERS) / (sum('lateOk', LATE_HALVE_MS) + USUAL_ANSWERS),
    firstOutput: recordOf(PROMPT_SIZES, countedFor),
    tokensPerSecond: outMs > 0 && outTokens > 0 ? (1_000 * outTokens) / outMs : null,
    outputTokens: outAnswers > 0 ? outTokens / outAnswers : null,
  }
}

/** Answers without which a time says little. */
const ENOUGH_ANSWERS = 3

/** Half of the answers have begun within this time; null where there were too few to tell. */
export const medianFirstOutputMs = (first: FirstOutput): number | null =>
  first.answers < ENOUGH_ANSWERS ? null : firstOutputWithin(first, 0.5)

/**
 * The time within which this share of the answers had begun, in milliseconds; null where there were none. Durations
 * inside one bin are taken to be spread evenly by their logarithm: bins are 59 % apart.
 */
export function firstOutputWithin({ answers, bins }: FirstOutput, share: number): number | null {
  const wanted = share * answers
  let before = 0
  for (const [bin, count] of bins) {
    if (before + count >= wanted) {
      const { from, to } = binEnds(bin)
      return from * (to / from) ** Math.max(0, (wanted - before) / count)
    }
    before += count
  }
  return null
}
