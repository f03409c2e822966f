import type { ModelTraffic } from '../page-contract.ts'

/** How one request counts. `excluded`: its client's own fault or choice, which says nothing about the gateway. */
export type Counted = {
  model: string
  at: number
  result: 'answered' | 'unanswered' | 'excluded'
  fallback: boolean
}

/** Requests of the last hour, counted by minute: as large after a million requests as after a thousand. */
export type MinuteTally = {
  add(counted: Counted): void
  /** Of all models together; `since` is when counting began, or an hour ago. */
  answered(now: number): { part: number; whole: number; since: number }
  traffic(now: number): ReadonlyMap<string, ModelTraffic>
}

type Bucket = {
  answered: number
  unanswered: number
  models: Map<string, { -readonly [Name in keyof ModelTraffic]: number }>
}

const NO_TRAFFIC: ModelTraffic = { requests: 0, fallbacks: 0, answered: 0, failed: 0 }

const MINUTE_MS = 60_000
const MINUTES = 60
/** Clients may name any number of endpoints themselves. */
const MOST_MODELS = 1_000

/** Begins to count at `startedAt`, in epoch milliseconds. */
export function createMinuteTally(startedAt: number): MinuteTally {
  const buckets = new Map<number, Bucket>()

  function bucketAt(at: number): Bucket {
    const minute = Math.floor(at / MINUTE_MS)
    const found = buckets.get(minute)
    if (found) return found
    const bucket: Bucket = { answered: 0, unanswered: 0, models: new Map() }
    buckets.set(minute, bucket)
    for (const old of buckets.keys()) if (old <= minute - MINUTES) buckets.delete(old)
    return bucket
  }

  /** Those of the last hour: nothing is removed while no request comes. */
  const current = (now: number): Bucket[] =>
    [...buckets].flatMap(([minute, bucket]) => (minute > now / MINUTE_MS - MINUTES ? [bucket] : []))

  return {
    add({ model, at, result, fallback }) {
      const bucket = bucketAt(at)
      if (result !== 'excluded') bucket[result] += 1
      const counts = bucket.models.get(model) ?? { ...NO_TRAFFIC }
      counts.requests += 1
      counts.fallbacks += fallback ? 1 : 0
      counts.answered += result === 'answered' ? 1 : 0
      counts.failed += result === 'unanswered' ? 1 : 0
      if (bucket.models.has(model) || bucket.models.size < MOST_MODELS) bucket.models.set(model, counts)
    },
    answered(now) {
      const found = current(now)
      const part = found.reduce((sum, { answered }) => sum + answered, 0)
      const whole = found.reduce((sum, { unanswered }) => sum + unanswered, part)
      return { part, whole, since: Math.max(startedAt, now - MINUTES * MINUTE_MS) }
    },
    traffic(now) {
      const sums = new Map<string, ModelTraffic>()
      for (const { models } of current(now)) {
        for (const [model, { requests, fallbacks, answered, failed }] of models) {
          const sum = sums.get(model) ?? NO_TRAFFIC
          sums.set(model, {
            requests: sum.requests + requests,
            fallbacks: sum.fallbacks + fallbacks,
            answered: sum.answered + answered,
            failed: sum.failed + failed,
          })
        }
      }
      return sums
    },
  }
}
