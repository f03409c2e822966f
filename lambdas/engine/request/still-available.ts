import type { Candidate, Endpoint } from '../../core/endpoint.ts'
import { endOfBarrier, type Barrier } from '../../core/routing/availability.ts'
import type { Via } from '../../core/routing/next-step.ts'
import { lookAgain, type Skipped } from '../../core/routing/plan.ts'
import { keyFirst } from '../../core/routing/sticky.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ClaimedTrial } from '../memory/breaker-trials.ts'
import type { FleetMemory } from '../memory/fleet-memory.ts'
import type { QuotaClaim } from '../quotas/quotas.ts'
import type { Admitted } from './admit.ts'

type Bar = Pick<Skipped, 'reason' | 'until' | 'cause' | 'lastResortAt'>

export type Available = { key: string | null; trial: ClaimedTrial | null; claim: QuotaClaim | null }

/** How a candidate is come to, and with which key where that is decided. */
type Way = { via: Via; key: string | null }

type Tools = {
  memory: FleetMemory
  clock: Clock
  isLast: boolean
  /** What a request costs, as estimated. */
  tokens: number
  /** What has been taken for it already. */
  admitted: Admitted | null
}

const barOf = (barrier: Barrier, endpoint: Endpoint, snapshot: Snapshot): Bar => ({
  ...barrier,
  until: endOfBarrier(barrier, endpoint, snapshot),
})

/** A retry has waited out what its own first try has caused; a provider that is barred since bars it too. */
const withoutOwn = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  breakers: new Map([...snapshot.breakers].filter(([scope]) => scope.startsWith('provider#'))),
})

/** Its cache of the conversation is one key's. */
const keptKey = (
  { sticky, keys: [first] }: Candidate,
  seen: { keys: readonly string[]; trial: Candidate['trial'] },
) => (sticky ? { ...seen, keys: keyFirst(seen.keys, first ?? null) } : seen)

/**
 * A candidate just before it is called: what the fleet has learned since the plan was made may bar it, what is nearly
 * spent of its quotas must be claimed, and where a breaker is not closed, its one trial must be won. What only guesses bar
 * is called all the same where nothing else is left. Returns the key to call with, or the bar.
 */
export async function stillAvailable(
  candidate: Candidate,
  { via, key }: Way,
  { memory, clock, isLast, tokens, admitted }: Tools,
): Promise<Available | { barred: Bar }> {
  const { endpoint } = candidate
  let { keys, trial } = candidate
  const isSameCall = via === 'rotate' || via === 'adapt'
  // The plan has looked for the first one just now.
  if (via !== 'start' && !isSameCall) {
    const snapshot = await memory.snapshot()
    const now = clock.now()
    const seen = lookAgain(endpoint, via === 'retry' ? withoutOwn(snapshot) : snapshot, now)
    if (seen.state === 'available') ({ keys, trial } = keptKey(candidate, seen))
    else {
      const resort = candidate.lastResort || (isLast && via !== 'retry') ? seen.lastResort : null
      if (!resort || resort.at > now)
        return {
          barred: { ...barOf(seen.barrier, endpoint, snapshot), ...(resort && { lastResortAt: resort.at }) },
        }
      ;({ keys, trial } = resort)
    }
  }
  const sameKey = via === 'retry' || isSameCall
  const wanted = sameKey ? (key === null ? [] : [key]) : keys
  const admission = admitted ?? (await memory.quotas.admit(endpoint, wanted, tokens))
  if ('spentUntil' in admission)
    return { barred: { reason: 'quota', until: admission.spentUntil, cause: null } }
  if (trial.length === 0 || isSameCall) return { ...admission, trial: null }
  const claimed = await memory.claimTrial(endpoint, trial)
  if (claimed) return { ...admission, trial: claimed }
  memory.quotas.giveBack(admission.claim)
  // Whoever lost the trial has read who won it, and until when.
  const snapshot = await memory.snapshot()
  const seen = lookAgain(endpoint, snapshot, clock.now())
  if (seen.state === 'available') return { barred: { reason: 'breaker_open', until: null, cause: null } }
  const bar = barOf(seen.barrier, endpoint, snapshot)
  return { barred: { ...bar, ...(seen.lastResort && { lastResortAt: seen.lastResort.at }) } }
}
