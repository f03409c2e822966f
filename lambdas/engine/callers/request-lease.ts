import { isLeased, leaseCounter, LEASE_RENEWAL_MS } from '../../core/callers/limit-counters.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Counters } from '../../store/fleet-store.ts'

/** One request under way, as it is counted: for as long as its instance says so. */
export type RequestLease = {
  /** Renews no more; returns what takes it out of the counters. */
  end(): Counters
}

/**
 * Keeps the lease of a request for as long as it goes on. The lease of an instance that is gone ends by itself.
 * @param taken the attribute that counts it
 */
export function keepLease(
  taken: string,
  clock: Pick<Clock, 'now' | 'after'>,
  write: (add: Counters) => void,
): RequestLease {
  let held = taken
  const given = (): Counters => (isLeased(held, clock.now()) ? { [held]: -1 } : {})
  function renewLater(): () => void {
    return clock.after(LEASE_RENEWAL_MS, () => {
      const next = leaseCounter(clock.now())
      write({ ...given(), [next]: 1 })
      held = next
      cancel = renewLater()
    })
  }
  let cancel = renewLater()
  return {
    end() {
      cancel()
      return given()
    },
  }
}
