import type { Candidate } from '../../core/endpoint.ts'
import type { Via } from '../../core/routing/next-step.ts'
import { lookAgain, type Skipped } from '../../core/routing/plan.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FleetMemory } from '../memory/fleet-memory.ts'

type Bar = Pick<Skipped, 'reason' | 'until' | 'cause'>

/**
 * A candidate just before it is called: what the fleet has learned since the plan was made may bar it, and where its
 * breaker is not closed, the one trial must be won first. Returns the keys that may be used, or the bar.
 */
export async function stillAvailable(
  candidate: Candidate,
  via: Via,
  { memory, clock }: { memory: FleetMemory; clock: Clock },
): Promise<{ keys: readonly string[] } | { barred: Bar }> {
  const { endpoint } = candidate
  let { keys, trial } = candidate
  // The plan has looked for the first one just now.
  if (via !== 'start') {
    const snapshot = await memory.snapshot()
    // A retry has waited out the cooldown that its own first try caused.
    const seen = via === 'retry' ? { ...snapshot, cooldowns: new Map() } : snapshot
    const { usable, barred } = lookAgain(endpoint, seen, clock.now())
    if (barred) return { barred }
    keys = usable
    trial = snapshot.breakers.has(endpoint.provider)
  }
  if (!trial || (await memory.claimTrial(endpoint.provider))) return { keys }
  // Whoever lost the trial has read who won it, and until when.
  const { breakers } = await memory.snapshot()
  const until = breakers.get(endpoint.provider)?.trialAt ?? null
  return { barred: { reason: 'breaker_open', until, cause: null } }
}
