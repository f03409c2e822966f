import type { Endpoint } from '../../core/endpoint.ts'
import { blameOf } from '../../core/failures/blame.ts'
import type { Failure } from '../../core/failures/failure.ts'
import type { HealthEvent } from '../../core/health/health.ts'
import { writeLastFailure } from '../../core/health/last-failure.ts'
import { endpointKey } from '../../core/item-keys.ts'
import { changeHealth, foreseeHealth } from './change-health.ts'
import { itemAt } from './change-item.ts'
import type { MemoryTools } from './memory-tools.ts'

export type Via = Extract<HealthEvent, { kind: 'evidence' }>['via']

/**
 * What is of the host itself counts for every endpoint on it; words and pages for the one that was called, unless a
 * second model there has shown the same. What no chain names, a model that a client asked for directly, is never
 * probed: nothing could readmit it, so nothing is held against it.
 */
function endpointsBlamed(tools: MemoryTools, endpoint: Endpoint, failure: Failure): readonly Endpoint[] {
  const onHost = tools.endpoints.filter(({ baseUrl }) => baseUrl === endpoint.baseUrl)
  const items = tools.view.known()
  const isShownBefore = onHost.some(
    ({ id, model }) =>
      model !== endpoint.model && itemAt(items, 'endpoint', endpointKey(id))?.health.cause === failure.kind,
  )
  const isOfHost = blameOf(failure).host || (failure.scope === 'endpoint' && isShownBefore)
  return isOfHost ? onHost : tools.endpoints.filter(({ id }) => id === endpoint.id)
}

/** Counts structural evidence against an endpoint, and lets its health follow from the count. */
export async function addEvidence(
  tools: MemoryTools,
  endpoint: Endpoint,
  failure: Failure,
  { evidence, via, mostADay }: { evidence: 1 | 2; via: Via; mostADay?: number },
): Promise<void> {
  const { view, clock, stats, settings } = tools
  // A probe by hand may still ask, but with the machine switched off nothing counts.
  if (settings().endpoint_health_disabled) return
  const at = clock.now()
  const items = view.known()
  const work = endpointsBlamed(tools, endpoint, failure).map(async blamed => {
    const health = itemAt(items, 'endpoint', endpointKey(blamed.id))?.health
    const isCalled = blamed.id === endpoint.id
    const probed = via !== 'request' && isCalled
    // What is quarantined needs no further evidence; only its own probe moves it.
    if (health?.state === 'quarantined' && !probed) return
    const { local, written } = stats.failed(blamed.id, {
      evidence,
      bench: false,
      lastFailure: writeLastFailure(failure, at),
    })
    const eventOf = (weight: number): HealthEvent => ({
      kind: 'evidence',
      via: probed ? via : 'request',
      weight,
      gone: evidence === 2,
      cause: failure.kind,
      at,
      ...(mostADay !== undefined && { mostADay }),
    })
    foreseeHealth(tools, blamed, eventOf(local.evidence))
    const { evidence: weight } = await written
    await changeHealth(tools, blamed, eventOf(weight))
  })
  await Promise.all(work)
}
