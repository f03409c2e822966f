import { allowanceOf } from '../../core/quota/allowance.ts'
import { isNearlySpent, shareOf } from '../../core/quota/nearly-spent.ts'
import { countsOf, liveBuckets, sumOf, totalName } from '../../core/quota/quota-counters.ts'
import { QUOTAS, type QuotaCounters, type QuotaName, type QuotaRule } from '../../core/quota/quotas.ts'
import type { Clock } from '../../platform/clock.ts'
import { newReceipt, type QuotaItem, type Receipt } from './quota-items.ts'

/** What one request takes of one limit, as the last of `total` claims; `at` names the bucket in which it is counted. */
export type Taken = {
  name: QuotaName
  at: number
  cost: number
  total: number
  /** So little was left that others wait for what is given back. */
  isScarce: boolean
  receipt: Receipt
}

/** Before it is counted. */
type Wanted = Pick<Taken, 'name' | 'at' | 'cost'>

/** What a request costs, by what a limit counts. */
export type Costs = { requests: number; tokens: number; running: number }

/** Whoever holds one of several requests at a time holds it for so long, unless it is renewed: an instance may die. */
export const LEASE_MS = 60_000
const CLAIM_MS = 300
const MAX_TRIES = 4

export type ClaimTools = { clock: Clock; stateError(error: unknown): void }

const costOf = ({ name }: QuotaRule, costs: Costs): number => costs[QUOTAS[name].counts]

export const takenAt = (rules: readonly QuotaRule[], costs: Costs, now: number): readonly Wanted[] =>
  rules.map(rule => ({
    name: rule.name,
    at: rule.name === 'concurrency' ? now + LEASE_MS : now,
    cost: costOf(rule, costs),
  }))

/** The counters of what is taken, or given back (`sign` -1). */
export function deltaOf(taken: readonly Wanted[], sign = 1): Record<string, number> {
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

/** What this instance has spent since the table told, and how many instances there were then, by what each had used. */
function spendingOf(
  item: QuotaItem,
  { own, ownThen }: Pick<Claimant, 'own' | 'ownThen'>,
  { name }: QuotaRule,
  now: number,
): { spent: number; instances: number } {
  const used = (counters: QuotaCounters): number => sumOf(liveBuckets(counters, name, now))
  const spent = Math.max(0, used(own) - used(ownThen))
  const ratio = (used(item.counters()) - spent) / Math.max(1, used(ownThen))
  return { spent, instances: Math.max(1, Math.round(ratio)) }
}

/** Claims in the table; null = the table shows that nothing is left. Rejects with `StoreError`. */
async function claimInTable(
  item: QuotaItem,
  near: readonly QuotaRule[],
  claim: { costs: Costs; taken: readonly Wanted[]; clock: Clock; receipt: Receipt },
): Promise<QuotaCounters | null> {
  const { costs, taken, clock, receipt } = claim
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
    const counters = await item.write({ add: deltaOf(taken), most, receipt })
    if (counters) return counters
  }
  return null
}

export type Claimant = {
  costs: Costs
  /** What this instance has taken itself. */
  own: QuotaCounters
  /** What it had when the table told last. */
  ownThen: QuotaCounters
  /** Adds to that, from the moment of the claim on; what was refused is taken out again. */
  remember(delta: QuotaCounters): void
}

/** Each with the number of its claim. */
const numbered = (
  taken: readonly Wanted[],
  counters: QuotaCounters,
  how: Pick<Taken, 'isScarce' | 'receipt'>,
): readonly Taken[] => taken.map(part => ({ ...part, total: counters[totalName(part.name)] ?? 0, ...how }))

/**
 * Takes what one request costs of the limits of an item. Far from their end it is counted here, and written later; near
 * it, it is claimed in the table before the request is sent, within 300 ms. Where the table does not answer, each
 * instance keeps to its share of what is left.
 */
export async function claimItem(
  item: QuotaItem,
  rules: readonly QuotaRule[],
  claimant: Claimant,
  { clock, stateError }: ClaimTools,
): Promise<readonly Taken[] | null> {
  const { costs, remember } = claimant
  const now = clock.now()
  if (spentUntil(item, rules, costs, now) !== null) return null
  const taken = takenAt(rules, costs, now)
  const near = nearRules(item, rules, costs, now)
  if (near.length === 0) {
    remember(deltaOf(taken))
    const receipt = item.add(deltaOf(taken))
    return numbered(taken, item.counters(), { isScarce: false, receipt })
  }

  const shares = judge(item, near, costs, now).map(({ rule, left, cost }) => {
    const { spent, instances } = spendingOf(item, claimant, rule, now)
    // What it has spent is missing in what is left, and was to be shared as well.
    return { cost, spent, share: Math.max(cost, shareOf(left + spent, instances)) }
  })
  const isInShare = shares.every(({ cost, share, spent }) => spent + cost <= share)
  remember(deltaOf(taken))
  const answered = new AbortController()
  const outcome: { claimed?: QuotaCounters | null; isCounted: boolean; isRefused: boolean } = {
    isCounted: false,
    isRefused: false,
  }
  const receipt = newReceipt()
  const giveBack = (): void => {
    if (receipt.isLost) item.forget(receipt, deltaOf(taken))
    else item.add(deltaOf(taken, -1))
  }
  const claiming = async (): Promise<void> => {
    try {
      outcome.claimed = await claimInTable(item, near, { costs, taken, clock, receipt })
      outcome.isCounted = outcome.claimed !== null
    } catch (error) {
      stateError(error)
      outcome.isCounted = true
    }
    // It came too late, and the request went elsewhere.
    if (outcome.isCounted && outcome.isRefused) giveBack()
    receipt.writing = null
    answered.abort()
  }
  receipt.writing = claiming()
  await clock.sleep(CLAIM_MS, answered.signal)
  const counters = outcome.claimed === undefined && isInShare ? item.counters() : outcome.claimed
  if (counters) return numbered(taken, counters, { isScarce: true, receipt })
  outcome.isRefused = true
  if (outcome.isCounted) giveBack()
  remember(deltaOf(taken, -1))
  return null
}
