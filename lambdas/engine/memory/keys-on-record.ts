import type { Endpoint } from '../../core/endpoint.ts'
import { keyOfLimit } from '../../core/health/breaker-scope.ts'
import { isBreakerKey, scopeOf } from '../../core/item-keys.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import type { StateItems } from './fleet-view.ts'

/** Fingerprints of the keys that are limited, by provider: for those who look at the fleet and may not see its keys. */
export function keysOnRecord(items: StateItems, endpoints: readonly Endpoint[]): Snapshot['keys'] {
  const providers = new Map(endpoints.map(({ id, provider }) => [id, provider]))
  const found = new Map<string, Set<string>>()
  for (const item of items.keys()) {
    const limited = isBreakerKey(item) ? keyOfLimit(scopeOf(item)) : null
    if (!limited) continue
    const provider = limited.of === 'provider' ? limited.owner : providers.get(limited.owner)
    if (provider === undefined) continue
    found.set(provider, (found.get(provider) ?? new Set()).add(limited.key))
  }
  return new Map([...found].map(([provider, keys]) => [provider, [...keys]]))
}
