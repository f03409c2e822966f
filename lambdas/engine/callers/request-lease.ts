import { isLeased, leaseCounter, LEASE_RENEWAL_MS } from '../../core/callers/limit-counters.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Counters } from '../../store/fleet-store.ts'

/** One request under way, as it is counted: for as long as its instance says so. */
export type RequestLease = {
  /** Renews no more; resolves with what takes it out of the counters. Never rejects. */
  end(): Promise<Counters>
}

/**
 * Keeps the lease of a request for as long as it goes on. The lease of an instance that is gone ends by itself.
 * @param taken the attribute that counts it; null = it could not be written.
 * @param write resolves with whether it is written; never rejects.
 */
export function keepLease(
  taken: Promise<string | null>,
  clock: Pick<Clock, 'now' | 'after'>,
  write: (add: Counters) => Promise<boolean>,
): RequestLease {
  /** What counts it in the table. */
  let held = taken
  const given = (lease: string | null): Counters =>
    lease !== null && isLeased(lease, clock.now()) ? { [lease]: -1 } : {}
  async function renewed(lease: string | null): Promise<string | null> {
    const next = leaseCounter(clock.now())
    return (await write({ ...given(lease), [next]: 1 })) ? next : lease
  }
  function renewLater(): () => void {
    return clock.after(LEASE_RENEWAL_MS, () => {
      held = held.then(renewed)
      cancel = renewLater()
    })
  }
  let cancel = renewLater()
  return {
    async end() {
      cancel()
      return given(await held)
    },
  }
}
