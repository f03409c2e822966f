import { QUOTAS, type QuotaCounters, type QuotaName } from './quotas.ts'

/**
 * How a limit comes back: all at once (`window`), bit by bit (`bucket`), or nobody knows yet (`untold`). `learnt` is
 * what refusals alone have shown, `counting` that they are being looked into, `unfit` that no such limit explains them.
 */
const KINDS = ['untold', 'window', 'bucket', 'learnt', 'counting', 'unfit'] as const
export type ToldKind = (typeof KINDS)[number]

/** What the fleet has on record of a limit beside its counters. Instants in epoch milliseconds. */
export type ToldLimit = {
  kind: ToldKind
  limit: number
  /** How much was left right after a request that was sent at `at`, as the last one of `total` claims. */
  remaining: number
  at: number
  total: number
  /** When the window ends, or the bucket is full. */
  endsAt: number
  /** How many refusals in a row a learnt limit does not explain. */
  doubts: number
}

const FIELDS = { limit: 'l', remaining: 'r', at: 'a', total: 't', endsAt: 'e', doubts: 'd' } as const
const KIND = 'k'

const attributeOf = (name: QuotaName, field: string): string => `${QUOTAS[name].prefix}_${field}`

/** What an item tells of a limit; null = nothing. */
export function toldOf(counters: QuotaCounters, name: QuotaName): ToldLimit | null {
  const read = (field: string): number => counters[attributeOf(name, field)] ?? 0
  const kind = counters[attributeOf(name, KIND)]
  const word = kind === undefined ? undefined : KINDS[kind]
  if (word === undefined) return null
  return {
    kind: word,
    limit: read(FIELDS.limit),
    remaining: read(FIELDS.remaining),
    at: read(FIELDS.at),
    total: read(FIELDS.total),
    endsAt: read(FIELDS.endsAt),
    doubts: read(FIELDS.doubts),
  }
}

/** The attributes of an item that tell it. */
export const attributesOf = (name: QuotaName, told: ToldLimit): Record<string, number> => ({
  [attributeOf(name, KIND)]: KINDS.indexOf(told.kind),
  [attributeOf(name, FIELDS.limit)]: told.limit,
  [attributeOf(name, FIELDS.remaining)]: told.remaining,
  [attributeOf(name, FIELDS.at)]: told.at,
  [attributeOf(name, FIELDS.total)]: told.total,
  [attributeOf(name, FIELDS.endsAt)]: told.endsAt,
  [attributeOf(name, FIELDS.doubts)]: told.doubts,
})

/** Resets are often told in whole seconds. */
const BLUR_MS = 1_100

/**
 * How a limit comes back, by two statements about the same stretch: what is used moves the instant at which a bucket is
 * full, and never the end of a window.
 */
export function kindBetween(before: ToldLimit, after: ToldLimit): ToldKind {
  const isSameStretch = before.limit === after.limit && after.at >= before.at && after.at < before.endsAt
  if (!isSameStretch || before.remaining >= before.limit) return before.kind
  const movedMs = after.endsAt - before.endsAt
  if (movedMs > BLUR_MS) return 'bucket'
  const refillMs = (before.endsAt - before.at) / (before.limit - before.remaining)
  const expectedMs = (before.remaining - after.remaining) * refillMs
  return expectedMs > 2 * BLUR_MS ? 'window' : before.kind
}
