import type { Endpoint } from '../../core/endpoint.ts'
import { endpointLimits, keyLimits } from '../../core/health/breaker-scope.ts'
import { breakerKey } from '../../core/item-keys.ts'
import { itemAt } from '../memory/change-item.ts'
import type { MemoryTools } from '../memory/memory-tools.ts'
import type { ProbeResult } from './probe-endpoint.ts'

/** The keys in use that the fleet knows to be refused at an endpoint, and `null` where it is called without one. */
function refusedAt({ keys, view }: MemoryTools, endpoint: Endpoint): readonly (string | null)[] {
  const items = view.known()
  const held = keys().get(endpoint.provider) ?? []
  return [null, ...held].filter(key =>
    (key === null ? endpointLimits(endpoint) : keyLimits(endpoint, key)).some(scope => {
      // Also what bars no more: the key stays refused until a call with it succeeds.
      const breaker = itemAt(items, 'breaker', breakerKey(scope))?.breaker
      if (!breaker || breaker.state === 'closed') return false
      return breaker.guess?.kind === 'auth' || breaker.stated?.kind === 'auth'
    }),
  )
}

/** Tells, once a pass for as long as it lasts, which providers refuse keys: those in memory, and what probes just met. */
export function reportRefusedKeys(tools: MemoryTools, results: readonly ProbeResult[]): void {
  const refused = new Map<string, Set<string | null>>()
  const add = (provider: string, key: string | null): void =>
    void refused.set(provider, (refused.get(provider) ?? new Set()).add(key))
  for (const endpoint of tools.endpoints)
    for (const key of refusedAt(tools, endpoint)) add(endpoint.provider, key)
  for (const { provider, outcome } of results)
    if (outcome === 'auth' && !refused.has(provider)) add(provider, null)
  for (const [provider, keys] of refused) tools.log({ event: 'key-refused', provider, keys: keys.size })
}
