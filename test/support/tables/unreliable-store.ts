import type { Clock } from '../../../lambdas/platform/clock.ts'
import type { Counters } from '../../../lambdas/store/fleet-store.ts'
import { StoreError } from '../../../lambdas/store/store-error.ts'
import type { MemoryStore } from './memory-store.ts'

/** How the table takes one write of counters: as it should, not at all, or so late that nobody waits for its answer. */
export type Mishap = 'none' | 'refused' | 'late'

/** What a client waits for a table. */
const LATE_MS = 500
const forever = new AbortController().signal

/** A table that goes wrong write by write, and loses none that it has taken. */
export function createUnreliableStore(
  store: MemoryStore,
  clock: Pick<Clock, 'sleep'>,
  next: (add: Counters) => Mishap,
): MemoryStore {
  async function take<Result>(add: Counters, work: () => Promise<Result>): Promise<Result> {
    const mishap = next(add)
    if (mishap === 'refused') throw new StoreError('throttled', { isUnwritten: true })
    const result = await work()
    if (mishap === 'none') return result
    await clock.sleep(LATE_MS, forever)
    throw new StoreError('too late')
  }
  return {
    ...store,
    addUsage: (at, add, ...how) => take(add, () => store.addUsage(at, add, ...how)),
    writeQuota: write => take(write.add, () => store.writeQuota(write)),
  }
}
