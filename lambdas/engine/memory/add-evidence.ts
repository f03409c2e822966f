import { endpointKey } from '../../core/item-keys.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import type { Failure } from '../../core/failures/failure.ts'
import type { HealthEvent, LastFailure } from '../../core/health/health.ts'
import { changeHealth } from './change-health.ts'
import { itemAt } from './change-item.ts'
import type { MemoryTools } from './memory-tools.ts'

const MESSAGE_BYTES = 300

/** A failure as an endpoint's item keeps it: short, and cut between two characters. */
export function lastFailureOf({ kind, status, message }: Failure, at: number): LastFailure {
  const cut = Buffer.from(message)
    .subarray(0, MESSAGE_BYTES)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  return { kind, status, message: cut, at }
}

/**
 * A fault of the host counts for every endpoint on it. What no chain names, a model that a client asked for directly,
 * is never probed: nothing could readmit it, so nothing is held against it.
 */
const endpointsBlamed = (tools: MemoryTools, endpoint: Endpoint, { scope }: Failure): readonly Endpoint[] =>
  tools.endpoints.filter(({ id, baseUrl }) =>
    scope === 'endpoint' ? baseUrl === endpoint.baseUrl : id === endpoint.id,
  )

/** Holds structural evidence against an endpoint: counts it, and lets its health follow from the count. */
export async function addEvidence(
  tools: MemoryTools,
  endpoint: Endpoint,
  failure: Failure,
  { evidence, via }: { evidence: number; via: Extract<HealthEvent, { kind: 'evidence' }>['via'] },
): Promise<void> {
  const { view, clock, stats, settings } = tools
  // A probe by hand may still ask, but with the machine switched off nothing counts.
  if (settings().endpoint_health_disabled) return
  const seen = lastFailureOf(failure, clock.now())
  const items = view.known()
  const work = endpointsBlamed(tools, endpoint, failure).map(async blamed => {
    const health = itemAt(items, 'endpoint', endpointKey(blamed.id))?.health
    const probed = via === 'probe' && blamed.id === endpoint.id
    // What is quarantined needs no further evidence; only its own probe moves it.
    if (health?.state === 'quarantined' && !probed) return
    const { evidence: weight } = await stats.failed(blamed.id, {
      evidence,
      bench: false,
      // The daily counters are of what users asked for.
      asked: via === 'request' && blamed.id === endpoint.id,
    })
    await changeHealth(tools, blamed, {
      kind: 'evidence',
      via: probed ? 'probe' : 'request',
      weight,
      failure: seen,
    })
  })
  await Promise.all(work)
}
