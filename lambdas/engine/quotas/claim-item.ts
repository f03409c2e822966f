import { allowanceOf } from '../../core/quota/allowance.ts'
import { isNearlySpent, shareOf } from '../../core/quota/nearly-spent.ts'
import { countsOf, liveBuckets, sumOf, totalName } from '../../core/quota/quota-counters.ts'
import { QUOTAS, type QuotaCounters, type QuotaName, type QuotaRule } from '../../core/quota/quotas.ts'
import type { Clock } from '../../platform/clock.ts'
import type { QuotaItem } from './quota-items.ts'

/** What one request takes of one limit, as the last of `total` claims; `at` names the bucket in which it is counted. */
export type Taken = {
  name: QuotaName
  at: number
  cost: number
  total: number
  /** So little was left that others wait for what is given back. */
  isScarce: boolean
}

/** What a request costs, by what a limit counts. */
export type Costs = { requests: number; tokens: number; running: number }

/** Whoever holds one of several requests at a time holds it for so long, unless it is renewed: an instance may die. */
export const LEASE_MS = 60_000
const CLAIM_MS = 300
const MAX_TRIES = 4

export type ClaimTools = { clock: Clock; stateError(error: unknown): void }

const costOf = ({ name }: QuotaRule, costs: Costs): number => costs[QUOTAS[name].counts]

export const takenAt = (rules: readonly QuotaRule[], costs: Costs, now: number): readonly Taken[] =>
  rules.map(rule => ({
    name: rule.name,
    at: rule.name === 'concurrency' ? now + LEASE_MS : now,
    cost: costOf(rule, costs),
    total: 0,
    isScarce: false,
  }))

/** The counters of what is taken, or given back (`sign` -1). */
export function deltaOf(taken: readonly Taken[], sign = 1): Record<string, number> {
  return Object.assign({}, ...taken.map(({ name, at, cost }) => countsOf(name, at, sign * cost))) as Record<
    string,
    number
  >
}

type Judged = { rule: QuotaRule; cost: number; left: number; limit: number; returnsAt: number }

function judge(item: QuotaItem, rules: readonly QuotaRule[], costs: Costs, now: number): readonly Judged[] {
  const counters = item.counters()
  return rules.flatMap(rule => {
    const cost = costOf(rule, costs)
    const allowance = allowanceOf(rule, counters, now, cost)
    return allowance ? [{ rule, cost: Math.min(cost, allowance.limit), ...allowance }] : []
  })
}

/** When everything that is asked for may be left; null = now. */
export function spentUntil(
  item: QuotaItem,
  rules: readonly QuotaRule[],
  costs: Costs,
  now: number,
): number | null {
  const spent = judge(item, rules, costs, now).filter(({ left, cost }) => left < cost)
  return spent.length === 0 ? null : Math.max(now + 1, ...spent.map(({ returnsAt }) => returnsAt))
}

/** The limits of an item that must be claimed before a request is sent. */
function nearRules(
  item: QuotaItem,
  rules: readonly QuotaRule[],
  costs: Costs,
  now: number,
): readonly QuotaRule[] {
  const counters = item.counters()
  const near = judge(item, rules, costs, now).filter(({ rule, left, limit, returnsAt, cost }) =>
    isNearlySpent({ limit, left, returnsAt }, { name: rule.name, counters, cost, now }),
  )
  return near.map(({ rule }) => rule)
}

/** How many instances there may be, by what they all and this one have used. */
function instancesBy(
  item: QuotaItem,
  own: Readonly<Record<string, number>>,
  { name }: QuotaRule,
  now: number,
): number {
  const used = (counters: Readonly<Record<string, number>>): number => sumOf(liveBuckets(counters, name, now))
  return Math.max(1, Math.round(used(item.counters()) / Math.max(1, used(own))))
}

/** Claims in the table; null = the table shows that nothing is left. Rejects with `StoreError`. */
async function claimInTable(
  item: QuotaItem,
  near: readonly QuotaRule[],
  { costs, taken, clock }: { costs: Costs; taken: readonly Taken[]; clock: Clock },
): Promise<QuotaCounters | null> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [told, next] = [item.told ?? {}, item.next()]
    const most: Record<string, number> = {}
    for (const rule of near) {
      const allowance = allowanceOf(rule, next, clock.now(), costOf(rule, costs))
      if (!allowance) continue
      const cost = Math.min(costOf(rule, costs), allowance.limit)
      if (allowance.left < cost) return null
      most[totalName(rule.name)] = (told[totalName(rule.name)] ?? 0) + Math.floor(allowance.left - cost)
    }
    const counters = await item.write({ add: deltaOf(taken), most })
    if (counters) return counters
  }
  return null
}

/** Each with the number of its claim. */
const numbered = (taken: readonly Taken[], counters: QuotaCounters, isScarce: boolean): readonly Taken[] =>
  taken.map(part => ({ ...part, total: counters[totalName(part.name)] ?? 0, isScarce }))

/**
 * Takes what one request costs of the limits of an item. Far from their end it is counted here, and written later; near
 * it, it is claimed in the table before the request is sent, within 300 ms. Where the table does not answer, each
 * instance keeps to its share of what is left.
 */
export async function claimItem(
  item: QuotaItem,
  rules: readonly QuotaRule[],
  { costs, own }: { costs: Costs; own: Readonly<Record<string, number>> },
  { clock, stateError }: ClaimTools,
): Promise<readonly Taken[] | null> {
  const now = clock.now()
  if (spentUntil(item, rules, costs, now) !== null) return null
  const taken = takenAt(rules, costs, now)
  const near = nearRules(item, rules, costs, now)
  if (near.length === 0) {
    item.add(deltaOf(taken))
    return numbered(taken, item.counters(), false)
  }

  const pictureAt = item.seenAt
  const shares = judge(item, near, costs, now).map(({ rule, left, cost }) => ({
    cost,
    share: Math.max(cost, shareOf(left, instancesBy(item, own, rule, now))),
    spent: sumOf(
      liveBuckets(own, rule.name, now).filter(
        ({ endsAt }) => endsAt - QUOTAS[rule.name].windowMs > pictureAt,
      ),
    ),
  }))
  const isInShare = shares.every(({ cost, share, spent }) => spent + cost <= share)
  const answered = new AbortController()
  const outcome: { claimed?: QuotaCounters | null; refused?: boolean } = {}
  const claiming = async (): Promise<void> => {
    try {
      outcome.claimed = await claimInTable(item, near, { costs, taken, clock })
      // It came too late, and the request went elsewhere.
      if (outcome.claimed && outcome.refused) item.add(deltaOf(taken, -1))
    } catch (error) {
      stateError(error)
    }
    answered.abort()
  }
  void claiming()
  await clock.sleep(CLAIM_MS, answered.signal)
  const counters = outcome.claimed === undefined && isInShare ? item.counters() : outcome.claimed
  outcome.refused = !counters
  return counters ? numbered(taken, counters, true) : null
}
