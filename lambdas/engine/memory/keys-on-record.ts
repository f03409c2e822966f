import type { Endpoint } from '../../core/endpoint.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import type { StateItems } from './fleet-view.ts'

const SCOPES = /^cooldown#(key|key-model)#(.+)#([^#]+)$/s

/** Fingerprints of the keys that cool down, by provider: for those who look at the fleet and may not see its keys. */
export function keysOnRecord(items: StateItems, endpoints: readonly Endpoint[]): Snapshot['keys'] {
  const providers = new Map(endpoints.map(({ id, provider }) => [id, provider]))
  const found = new Map<string, Set<string>>()
  for (const { key: item } of items.values()) {
    const [, scope, owner = '', key] = SCOPES.exec(item) ?? []
    const provider = scope === 'key' ? owner : providers.get(owner)
    if (provider === undefined || key === undefined) continue
    found.set(provider, (found.get(provider) ?? new Set()).add(key))
  }
  return new Map([...found].map(([provider, keys]) => [provider, [...keys]]))
}
