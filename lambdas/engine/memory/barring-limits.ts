import {
  benchScope,
  endpointLimits,
  keyLimits,
  keyOfLimit,
  type BreakerScope,
} from '../../core/health/breaker-scope.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import { isBreakerKey, scopeOf } from '../../core/item-keys.ts'
import type { StateItems } from './fleet-view.ts'

/** Every bench and limit that bars an endpoint, whatever keys it stands under: also those that are configured no more. */
export function barringLimits(items: StateItems, endpoint: Endpoint): readonly BreakerScope[] {
  return [...items.keys()].flatMap(key => {
    if (!isBreakerKey(key)) return []
    const scope = scopeOf(key)
    const fingerprint = keyOfLimit(scope)?.key
    const scopes = [
      benchScope(endpoint.id),
      ...endpointLimits(endpoint),
      ...(fingerprint === undefined ? [] : keyLimits(endpoint, fingerprint)),
    ]
    return scopes.includes(scope) ? [scope] : []
  })
}
