import { ENDPOINTS } from './incidents.ts'
import type { Passage } from './tally.ts'
import { isStructural, type World } from './world.ts'

const MOST_ATTEMPTS = 4
const DEADLINE_MS = 45_000

/** What a simple gateway does: from the top of the chain, past what its timers bar. */
export type Timers = { barredUntil(endpoint: string): number; failed(endpoint: string, at: number): void }

/** No memory: every request finds out anew. */
export const NO_TIMERS: Timers = { barredUntil: () => 0, failed: () => undefined }

/** A timer of 90 s after each failure, shared by everyone at once: more than any gateway of the field has. */
export function createSharedTimers(ms = 90_000): Timers {
  const until = new Map<string, number>()
  return {
    barredUntil: endpoint => until.get(endpoint) ?? 0,
    failed: (endpoint, at) => void until.set(endpoint, at + ms),
  }
}

/** One request of the week through such a chain, with the gateway's own limits on attempts and time. */
export function walkChain(world: World, at: number, timers: Timers): Passage {
  let now = at
  let attempts = 0
  let structuralWaste = 0
  let answered = false
  for (const endpoint of ENDPOINTS) {
    if (attempts === MOST_ATTEMPTS || now - at > DEADLINE_MS) break
    if (timers.barredUntil(endpoint) > now) continue
    const encounter = world.meet(endpoint, now)
    now += encounter.afterMs
    attempts += 1
    answered = encounter.ailment === null
    if (answered) break
    timers.failed(endpoint, now)
    if (isStructural(encounter)) structuralWaste += 1
  }
  const wasted = answered ? attempts - 1 : attempts
  return {
    at,
    answered,
    possible: world.isPossible(at),
    attempts,
    wasted,
    structuralWaste,
    durationMs: now - at,
  }
}
