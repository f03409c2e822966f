import { liveBuckets, sumOf } from './quota-counters.ts'
import { QUOTAS, type QuotaCounters, type QuotaName } from './quotas.ts'
import { toldOf, type ToldLimit } from './told-limit.ts'

/** Limits that refusals alone can show. */
export type LearntQuota = Extract<QuotaName, 'requestsPerMinute' | 'concurrency'>

/** What ran before the counting began must have ended, or left the window, before the counters say anything. */
const COUNT_FIRST_MS = 60_000
/** A limit may be higher than it was met, or be raised: that is tried one step at a time, each after so long. */
const GROW_EVERY_MS = 3 * 60_000
const GROW_SHARE = 0.05
/** So many refusals in a row that a limit does not explain refute it. */
const MOST_DOUBTS = 3
const UNFIT_MS = 6 * 3_600_000

/** A learnt limit by now: each step that nobody refused makes the next one larger. */
export function grownLimit({ limit, at }: ToldLimit, name: QuotaName, now: number): number {
  const steps = Math.floor(Math.max(0, now - at) / GROW_EVERY_MS)
  const step = name === 'concurrency' ? 1 : Math.max(1, Math.ceil(limit * GROW_SHARE))
  return limit + (step * steps * (steps + 1)) / 2
}

/** Whether counters are kept for what refusals may show. */
export const isCounting = (counters: QuotaCounters, name: LearntQuota, now: number): boolean => {
  const told = toldOf(counters, name)
  return told !== null && !(told.kind === 'unfit' && now - told.at > UNFIT_MS)
}

const record = (kind: ToldLimit['kind'], limit: number, at: number, doubts = 0): ToldLimit => ({
  kind,
  limit,
  remaining: 0,
  at,
  total: 0,
  endsAt: at + QUOTAS.requestsPerMinute.windowMs,
  doubts,
})

/**
 * What a refusal shows of a limit that nobody has stated, by what was admitted before it; null = nothing new. The
 * counters hold the refused request too.
 *
 * | known         | refused                                     | then                                     |
 * |---------------|---------------------------------------------|------------------------------------------|
 * | nothing       |                                             | counting                                 |
 * | counting      | within a minute                             | counting                                 |
 * | counting      | later                                       | learnt: what was admitted                |
 * | learnt        | when it was used up                         | learnt: what was admitted                |
 * | learnt        | when some of it was left                    | learnt: what was admitted, with a doubt  |
 * | learnt        | the same for the third time in a row        | unfit: something else refuses            |
 * | unfit         | within six hours                            | unfit                                    |
 */
export function afterRefusal(counters: QuotaCounters, name: LearntQuota, now: number): ToldLimit | null {
  const known = toldOf(counters, name)
  const admitted = sumOf(liveBuckets(counters, name, now)) - 1
  switch (known?.kind) {
    case undefined:
      return record('counting', 0, now)
    case 'counting':
      return now - known.at < COUNT_FIRST_MS || admitted < 1 ? null : record('learnt', admitted, now)
    case 'learnt': {
      if (admitted < 1) return null
      const doubts = admitted < known.limit ? known.doubts + 1 : 0
      return doubts >= MOST_DOUBTS ? record('unfit', 0, now) : record('learnt', admitted, now, doubts)
    }
    case 'unfit':
      return now - known.at < UNFIT_MS ? null : record('counting', 0, now)
    default:
      return null
  }
}
