import type { Candidate } from '../../core/endpoint.ts'
import type { Via } from '../../core/routing/next-step.ts'
import { lookAgain, type Skipped } from '../../core/routing/plan.ts'
import { keyFirst } from '../../core/routing/sticky.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ClaimedTrial } from '../memory/breaker-trials.ts'
import type { FleetMemory } from '../memory/fleet-memory.ts'

type Bar = Pick<Skipped, 'reason' | 'until' | 'cause' | 'lastResortAt'>

export type Available = { keys: readonly string[]; trial: ClaimedTrial | null }

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
 * A candidate just before it is called: what the fleet has learned since the plan was made may bar it, and where a
 * breaker is not closed, its one trial must be won first. What only guesses bar is called all the same where nothing
 * else is left. Returns the keys that may be used, or the bar.
 */
export async function stillAvailable(
  candidate: Candidate,
  via: Via,
  { memory, clock, isLast }: { memory: FleetMemory; clock: Clock; isLast: boolean },
): Promise<Available | { barred: Bar }> {
  const { endpoint } = candidate
  let { keys, trial } = candidate
  // The plan has looked for the first one just now.
  if (via !== 'start') {
    const snapshot = await memory.snapshot()
    const now = clock.now()
    const seen = lookAgain(endpoint, via === 'retry' ? withoutOwn(snapshot) : snapshot, now)
    if (seen.state === 'available') ({ keys, trial } = keptKey(candidate, seen))
    else {
      const resort = candidate.lastResort || (isLast && via !== 'retry') ? seen.lastResort : null
      if (!resort || resort.at > now)
        return { barred: { ...seen.barrier, ...(resort && { lastResortAt: resort.at }) } }
      ;({ keys, trial } = resort)
    }
  }
  if (trial.length === 0) return { keys, trial: null }
  const claimed = await memory.claimTrial(endpoint, trial)
  if (claimed) return { keys, trial: claimed }
  // Whoever lost the trial has read who won it, and until when.
  const seen = lookAgain(endpoint, await memory.snapshot(), clock.now())
  if (seen.state === 'available') return { barred: { reason: 'breaker_open', until: null, cause: null } }
  return { barred: { ...seen.barrier, ...(seen.lastResort && { lastResortAt: seen.lastResort.at }) } }
}
