import { pastCounters } from '../../core/callers/limit-counters.ts'
import type { Counters, FleetStore } from '../../store/fleet-store.ts'
import { isUnwritten } from '../memory/is-unwritten.ts'
import type { UsageAddress } from '../../store/usage-store.ts'

/** What one instance knows of the counters behind a caller's limits. */
export type CallerLedger = {
  /** As the table told last, with everything that was added here since. */
  counters(): Counters
  /** When the table told; 0 = never. Epoch milliseconds. */
  readonly knownAt: number
  /** Nothing is being written, or waits for it. */
  readonly idle: boolean
  /**
   * Counts here at once, and in the table. What the table refused, or was never sent, is written with the next one, so
   * that no place is lost. What was answered too late counts as written: a table that is slow has most likely done
   * it, and would hold a place that nobody gives back. Resolves with all counters; null = the table did not tell.
   * Never rejects.
   */
  write(add: Counters): Promise<Counters | null>
}

type LedgerTools = {
  store: Pick<FleetStore, 'addUsage'>
  now(): number
  stateError(error: unknown): void
}

/** Longer than the longest window. */
const KEPT_MS = 33 * 86_400_000

function sumOf(all: readonly Counters[]): Counters {
  const sums: Record<string, number> = {}
  for (const add of all) {
    for (const [name, count] of Object.entries(add)) sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}

export const negated = (add: Counters): Counters =>
  Object.fromEntries(Object.entries(add).map(([name, count]) => [name, -count]))

/** Without what cancels itself, and what counts no more. */
function stillDue(add: Counters, now: number): Counters {
  const past = new Set(pastCounters(add, now))
  return Object.fromEntries(Object.entries(add).filter(([name, count]) => count !== 0 && !past.has(name)))
}

export function createCallerLedger(at: UsageAddress, { store, now, stateError }: LedgerTools): CallerLedger {
  let known: Counters = {}
  let knownAt = 0
  let [sent, told] = [0, 0]
  const pending = new Set<Counters>()
  /** What is not in the table, and goes with the next write. */
  let unwritten: Counters = {}

  return {
    counters: () => sumOf([known, unwritten, ...pending]),
    get knownAt() {
      return knownAt
    },
    get idle() {
      return pending.size === 0 && Object.keys(unwritten).length === 0
    },
    async write(add) {
      const sentAt = now()
      const due = stillDue(sumOf([unwritten, add]), sentAt)
      unwritten = {}
      // What cancels itself is written all the same where something is to be decided: the table tells how it stands.
      if (Object.keys(due).length === 0 && Object.keys(add).length === 0) return null
      const order = (sent += 1)
      const past = pastCounters(known, sentAt).filter(name => !(name in due))
      pending.add(due)
      try {
        const counters = await store.addUsage(at, due, past, sentAt + KEPT_MS)
        // What was sent before cannot know what was sent after.
        if (order > told) [known, knownAt, told] = [counters, sentAt, order]
        return counters
      } catch (error) {
        stateError(error)
        if (isUnwritten(error)) unwritten = sumOf([unwritten, due])
        else if (order > told) known = sumOf([known, due])
        return null
      } finally {
        pending.delete(due)
      }
    },
  }
}
