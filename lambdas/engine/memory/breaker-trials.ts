import { boundedBreaker, breakerAfter } from '../../core/health/breaker.ts'
import type { BreakerScope, TrialClaim } from '../../core/health/breaker-scope.ts'
import { longestBar } from '../../core/health/limit.ts'
import { breakerKey } from '../../core/item-keys.ts'
import type { BreakerItem } from '../../store/state-item.ts'
import { itemAt, nextItem, storedAt } from './change-item.ts'
import type { MemoryTools } from './memory-tools.ts'

/** The one call that may go through these breakers; `at` names it in each of them. */
export type ClaimedTrial = { at: number; scopes: readonly BreakerScope[] }

const CLAIM_MS = 300
const MAX_TRIES = 3
/** More openings than any instance remembers having tried by itself. */
const MOST_GRANTED = 1_000

/** Absent as long as the table has not answered: whoever lost a race has heard from it, and may not help himself. */
type Outcome = { trial?: ClaimedTrial | null }

type Written = { item: BreakerItem; expectedVersion: number | null }

/** A claim on an item; null = it is not to be had, 'free' = nothing bars there any more. */
function claimOn(
  item: BreakerItem | null,
  { scope, everyMs }: TrialClaim,
  at: number,
  leaseMs: number,
): Written | null | 'free' {
  const before = item && boundedBreaker(item.breaker, longestBar(scope), at)
  if (!item || !before || before.state === 'closed' || !before.guess) return 'free'
  const early = everyMs === null ? null : { everyMs }
  const after = breakerAfter(before, { kind: 'trial_claimed', at, leaseMs, early })
  if (after.state === 'closed') return 'free'
  // Somebody else's trial may have begun in the same millisecond.
  if (after.state !== 'half-open' || (before.state === 'half-open' && after.trial === before.trial))
    return null
  const value = {
    breaker: after,
    failuresUntil: item.failuresUntil,
    causes: item.causes,
    expiresAt: item.expiresAt,
  }
  return { item: nextItem('breaker', item.key, value, item, at), expectedVersion: item.version }
}

/** Claims the one trial of breakers that are half-open, all of them or none. */
export function createBreakerTrials(tools: MemoryTools) {
  const { store, view, clock, log, stateError } = tools
  /** Openings that this process has let one call through by itself, latest last. */
  const granted = new Set<string>()

  function isForeseen(scope: BreakerScope): boolean {
    const known = itemAt(view.known(), 'breaker', breakerKey(scope))?.breaker
    return known !== undefined && known.state !== 'closed' && known.guess !== null
  }

  /** Rejects with `StoreError`. */
  async function write(
    claims: readonly TrialClaim[],
    at: number,
    leaseMs: number,
    outcome: Outcome,
  ): Promise<ClaimedTrial | null> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const writes: Written[] = []
      for (const claim of claims) {
        const claimed = claimOn(storedAt(view, 'breaker', breakerKey(claim.scope)), claim, at, leaseMs)
        if (claimed === null) return null
        if (claimed !== 'free') writes.push(claimed)
        // What this instance alone has seen cannot be claimed in the table.
        else if (isForeseen(claim.scope)) return grant(claims, at, leaseMs)
      }
      if (writes.length === 0) return { at, scopes: [] }
      if ((await store.putStateItems(writes)) === 'written') {
        for (const { item } of writes) view.learned(item.key, item, item.version)
        for (const { item } of writes) reportHalfOpen(item)
        return { at, scopes: claims.map(({ scope }) => scope) }
      }
      outcome.trial = null
      for (const { scope } of claims) {
        const key = breakerKey(scope)
        const found = await store.readStateItem(key)
        view.learned(key, found, found?.version ?? view.stored(key)?.version ?? 0)
      }
    }
    return null
  }

  function reportHalfOpen({ key }: BreakerItem): void {
    const [, provider] = /^breaker#provider#(.+)$/s.exec(key) ?? []
    if (provider !== undefined) {
      log({ event: 'breaker-transition', provider, from: 'open', to: 'half-open', because: 'trial_claimed' })
    }
  }

  /** Where the table is away: one call an opening, which nobody else will know of. */
  function grant(claims: readonly TrialClaim[], at: number, leaseMs: number): ClaimedTrial | null {
    const items = view.known()
    const openings: string[] = []
    const claimed: BreakerItem[] = []
    for (const claim of claims) {
      const item = itemAt(items, 'breaker', breakerKey(claim.scope))
      const own = claimOn(item, claim, at, leaseMs)
      if (own === null) return null
      if (own === 'free' || !item || item.breaker.state === 'closed') continue
      const opening = `${claim.scope} ${item.breaker.guess?.openedAt}`
      // As a last resort it is the time between two calls that bounds them.
      if (granted.has(opening) && claim.everyMs === null) return null
      openings.push(opening)
      claimed.push(own.item)
    }
    for (const opening of openings) granted.add(opening)
    for (const item of claimed) view.foresee(item.key, item)
    const [oldest] = granted
    if (oldest !== undefined && granted.size > MOST_GRANTED) granted.delete(oldest)
    return { at, scopes: claims.map(({ scope }) => scope) }
  }

  return {
    /** The trial, or null: somebody else has it, or it is not due. Waits at most 300 ms for the table. */
    async claim(claims: readonly TrialClaim[], leaseMs: number): Promise<ClaimedTrial | null> {
      const at = clock.now()
      const answered = new AbortController()
      const outcome: Outcome = {}
      const claiming = async (): Promise<void> => {
        try {
          outcome.trial = await write(claims, at, leaseMs, outcome)
        } catch (error) {
          stateError(error)
        }
        answered.abort()
      }
      void claiming()
      await clock.sleep(CLAIM_MS, answered.signal)
      return outcome.trial === undefined ? grant(claims, at, leaseMs) : outcome.trial
    },
  }
}

export type BreakerTrials = ReturnType<typeof createBreakerTrials>
