import type { EndpointId } from '../../../core/endpoint.ts'
import type { Failure } from '../../../core/failures/failure.ts'
import type { Clock } from '../../../platform/clock.ts'

/** After so long without another one, cuts are forgotten. */
const KEPT_MS = 15 * 60_000
const MOST_ENDPOINTS = 2_000

/** How often this instance has not waited for an endpoint's first output, as `usualFirstOutputMs` must know. */
export function createCuts(clock: Pick<Clock, 'now'>) {
  const cuts = new Map<EndpointId, { count: number; at: number }>()
  const get = (endpoint: EndpointId): number => {
    const { count = 0, at = 0 } = cuts.get(endpoint) ?? {}
    return clock.now() - at < KEPT_MS ? count : 0
  }
  return {
    get,
    note(endpoint: EndpointId, { code }: Pick<Failure, 'code'>): void {
      if (code !== 'BACKSTOP_FIRST_OUTPUT_TIMEOUT') return
      const count = get(endpoint) + 1
      // Those cut last stay longest.
      cuts.delete(endpoint)
      cuts.set(endpoint, { count, at: clock.now() })
      const [oldest] = cuts.keys()
      if (oldest !== undefined && cuts.size > MOST_ENDPOINTS) cuts.delete(oldest)
    },
  }
}
