import { liveBuckets, sumOf, totalName, usedSince, type Bucket } from './quota-counters.ts'
import { QUOTAS, type Allowance, type QuotaCounters, type QuotaRule } from './quotas.ts'
import { grownLimit } from './learn-limit.ts'
import { toldOf, type ToldLimit } from './told-limit.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** What is sent later may arrive sooner: what is free by a hair is left alone. */
const MARGIN_MS = 250
/** Nobody tells when one of several requests at a time will have ended. */
const SLOT_MS = 250

/** A request that is larger than the limit itself is not ours to judge. */
const bounded = (cost: number, limit: number): number => Math.min(cost, limit)

/** When as much as is missing will have ended. */
function freedAt(buckets: readonly Bucket[], missing: number): number {
  let freed = 0
  for (const { count, endsAt } of buckets) {
    freed += count
    if (freed >= missing) return endsAt
  }
  return buckets.at(-1)?.endsAt ?? 0
}

/**
 * By our own counters, in a window that ends now wherever it began: whoever keeps it meets no refusal, whether the
 * provider counts in fixed windows, in sliding ones, or refills a bucket.
 */
function sliding(
  rule: QuotaRule,
  limit: number,
  buckets: readonly Bucket[],
  now: number,
  cost: number,
): Allowance {
  const marginMs = QUOTAS[rule.name].windowMs === DAY_MS ? 0 : MARGIN_MS
  const held = buckets.map(bucket => ({ ...bucket, endsAt: bucket.endsAt + marginMs }))
  const used = sumOf(held)
  const missing = used + bounded(cost, limit) - limit
  return { limit, left: limit - used, returnsAt: missing > 0 ? freedAt(held, missing) : now }
}

/** In a day that begins at a known hour. */
function ofTheDay(
  rule: QuotaRule,
  limit: number,
  hour: number,
  buckets: readonly Bucket[],
  now: number,
  cost: number,
): Allowance {
  const beganAt = now - ((now - hour * HOUR_MS) % DAY_MS)
  const left = limit - usedSince(buckets, rule.name, beganAt)
  return { limit, left, returnsAt: left >= bounded(cost, limit) ? now : beganAt + DAY_MS }
}

function counted(
  rule: QuotaRule,
  limit: number,
  buckets: readonly Bucket[],
  now: number,
  cost: number,
): Allowance {
  const isDay = QUOTAS[rule.name].windowMs === DAY_MS
  return isDay && rule.resetHour !== null
    ? ofTheDay(rule, limit, rule.resetHour, buckets, now, cost)
    : sliding(rule, limit, buckets, now, cost)
}

/** By what the provider has said, and what was claimed since. */
function byStatement(
  rule: QuotaRule,
  told: ToldLimit,
  { buckets, since }: { buckets: readonly Bucket[]; since: number },
  now: number,
  cost: number,
): Allowance {
  const { limit, remaining, at, endsAt, kind } = told
  const needed = bounded(cost, limit)
  if (now < endsAt) {
    const refillMs = kind === 'bucket' ? (endsAt - at) / Math.max(1, limit - remaining) : Infinity
    const left = Math.min(limit, remaining + (now - at) / refillMs) - since
    const missing = needed - left
    return { limit, left, returnsAt: missing <= 0 ? now : Math.min(endsAt, now + missing * refillMs) }
  }
  if (kind === 'window') {
    const { windowMs } = QUOTAS[rule.name]
    const beganAt = now - ((now - endsAt) % windowMs)
    const left = limit - usedSince(buckets, rule.name, beganAt)
    return { limit, left, returnsAt: left >= needed ? now : beganAt + windowMs }
  }
  const tally = counted(rule, limit, buckets, now, cost)
  const left = Math.max(limit - since, tally.left)
  return { limit, left, returnsAt: left >= needed ? now : tally.returnsAt }
}

function running(
  { declared }: QuotaRule,
  told: ToldLimit | null,
  buckets: readonly Bucket[],
  now: number,
): Allowance | null {
  const learnt = told?.kind === 'learnt' ? grownLimit(told, 'concurrency', now) : null
  const limit = declared ?? learnt
  if (limit === null) return null
  const left = limit - sumOf(buckets)
  return { limit, left, returnsAt: left > 0 ? now : now + SLOT_MS }
}

/** What is left of a limit, by everything that is known of it; null = nothing is. */
export function allowanceOf(
  rule: QuotaRule,
  counters: QuotaCounters,
  now: number,
  cost = 1,
): Allowance | null {
  const { name, declared } = rule
  const buckets = liveBuckets(counters, name, now)
  const told = toldOf(counters, name)
  if (name === 'concurrency') return running(rule, told, buckets, now)
  if (told === null || told.kind === 'counting' || told.kind === 'unfit') {
    return declared === null ? null : counted(rule, declared, buckets, now, cost)
  }
  if (told.kind === 'learnt')
    return counted(rule, declared ?? grownLimit(told, name, now), buckets, now, cost)
  const since = Math.max(0, (counters[totalName(name)] ?? 0) - told.total)
  const stated = byStatement(rule, told, { buckets, since }, now, cost)
  if (declared === null || declared >= told.limit) return stated
  const own = counted(rule, declared, buckets, now, cost)
  return own.left < stated.left ? own : stated
}
