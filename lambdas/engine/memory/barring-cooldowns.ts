import { cooldownKey, isCooldownKey, type CooldownKey } from '../../core/item-keys.ts'
import { benchScope, endpointScopes, keyScopes } from '../../core/health/cooldown-scope.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import type { StateItems } from './fleet-view.ts'

const FINGERPRINT = /#([0-9a-f]{8})$/

/** Every cooldown that bars an endpoint, whatever keys it stands under: also those that are configured no more. */
export function barringCooldowns(items: StateItems, endpoint: Endpoint): readonly CooldownKey[] {
  return [...items.values()].flatMap(({ key }) => {
    if (!isCooldownKey(key)) return []
    const fingerprint = FINGERPRINT.exec(key)?.[1]
    const scopes = [
      ...endpointScopes(endpoint),
      benchScope(endpoint.id),
      ...(fingerprint === undefined ? [] : keyScopes(endpoint, fingerprint)),
    ]
    return scopes.some(scope => key === cooldownKey(scope)) ? [key] : []
  })
}
