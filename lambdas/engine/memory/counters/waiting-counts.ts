import type { EndpointId } from '../../../core/endpoint.ts'
import { endpointKey, type StatsKey } from '../../../core/item-keys.ts'
import type { Counters } from '../../../store/fleet-store.ts'

/** What was counted of an endpoint and waits for the next write of its item. */
export type Waiting = {
  add: Record<string, number>
  /** When the last success came; null = there was none. */
  at: number | null
  /** There were failures when it came, so that it is certain what it empties. */
  empties: boolean
}

/** An endpoint's item as the last write has returned it, and what the table was not told, or could not be. */
export type OwnCounts = {
  item: { counters: Counters; at: number } | null
  untold: Counters
  /** Its last failure, where the table has not been told of it yet. */
  lastFailure: string | null
}

const nothing = (): Waiting => ({ add: {}, at: null, empties: false })

export function bump(counters: Record<string, number>, name: string, by: number): void {
  counters[name] = (counters[name] ?? 0) + by
}

/** These counters with others added to them. */
export function withCounts(counters: Counters, add: Counters): Record<string, number> {
  const sums: Record<string, number> = { ...counters }
  for (const [name, count] of Object.entries(add)) bump(sums, name, count)
  return sums
}

/** These counters without some, and then with others added to them. */
export function counted(counters: Counters, add: Counters, remove: readonly string[]): Counters {
  const left: Record<string, number> = { ...counters }
  for (const name of remove) delete left[name]
  return withCounts(left, add)
}

/** What waits of each endpoint. */
export function createWaitingCounts() {
  const endpoints = new Map<EndpointId, Waiting>()
  const lost = new Map<StatsKey, Counters>()
  return {
    endpoints: (): readonly EndpointId[] => [...endpoints.keys()],
    /** What the table does not hold, as far as this instance knows. */
    untold: (endpoint: EndpointId): Counters =>
      withCounts(lost.get(endpointKey(endpoint)) ?? {}, endpoints.get(endpoint)?.add ?? {}),
    /** A write has failed. It is not repeated, because it might count twice, but this instance goes by it. */
    lose(key: StatsKey, add: Counters, expired: (counters: Counters) => readonly string[]): void {
      const counters = withCounts(lost.get(key) ?? {}, add)
      for (const name of expired(counters)) delete counters[name]
      lost.set(key, counters)
    },
    /** To be counted on. */
    of(endpoint: EndpointId): Waiting {
      const waiting = endpoints.get(endpoint) ?? nothing()
      endpoints.set(endpoint, waiting)
      return waiting
    },
    /** To be written: it waits no longer. */
    take(endpoint: EndpointId): Waiting {
      const waiting = endpoints.get(endpoint) ?? nothing()
      endpoints.delete(endpoint)
      return waiting
    },
  }
}
