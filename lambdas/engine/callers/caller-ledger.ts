import { pastCounters } from '../../core/callers/limit-counters.ts'
import type { Counters, FleetStore } from '../../store/fleet-store.ts'
import type { UsageAddress } from '../../store/usage-store.ts'

/** What one instance knows of the counters behind a caller's limits. */
export type CallerLedger = {
  /** As the table told last, with everything that was added here since. */
  counters(): Counters
  /** When the table told; 0 = never. Epoch milliseconds. */
  readonly knownAt: number
  /** Nothing is being written. */
  readonly idle: boolean
  /** Counts here at once, and in the table. Resolves with all counters; null = the table could not be used. Never rejects. */
  write(add: Counters): Promise<Counters | null>
  /** Counts no longer here what could not be written. */
  forget(add: Counters): void
}

type LedgerTools = {
  store: Pick<FleetStore, 'addUsage'>
  now(): number
  stateError(error: unknown): void
}

/** Longer than the longest window. */
const KEPT_MS = 33 * 86_400_000

function plus(counters: Counters, add: Counters): Counters {
  const sums: Record<string, number> = { ...counters }
  for (const [name, count] of Object.entries(add)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

export const negated = (add: Counters): Counters =>
  Object.fromEntries(Object.entries(add).map(([name, count]) => [name, -count]))

export function createCallerLedger(at: UsageAddress, { store, now, stateError }: LedgerTools): CallerLedger {
  let known: Counters = {}
  let knownAt = 0
  let [sent, told] = [0, 0]
  const pending = new Set<Counters>()
  /** What is known here alone, until the table tells again. */
  let unwritten = new WeakSet<Counters>()

  return {
    counters: () => [...pending].reduce(plus, known),
    get knownAt() {
      return knownAt
    },
    get idle() {
      return pending.size === 0
    },
    async write(add) {
      const order = (sent += 1)
      const sentAt = now()
      const past = pastCounters(known, sentAt).filter(name => !(name in add))
      pending.add(add)
      try {
        const counters = await store.addUsage(at, add, past, sentAt + KEPT_MS)
        // What was sent before cannot know what was sent after.
        if (order > told) {
          ;[known, knownAt, told] = [counters, sentAt, order]
          unwritten = new WeakSet()
        }
        return counters
      } catch (error) {
        stateError(error)
        known = plus(known, add)
        unwritten.add(add)
        return null
      } finally {
        pending.delete(add)
      }
    },
    forget(add) {
      if (unwritten.delete(add)) known = plus(known, negated(add))
    },
  }
}
