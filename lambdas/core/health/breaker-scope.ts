import type { Endpoint, EndpointId } from '../endpoint.ts'

/** What a breaker bars: a provider, an endpoint (its bench), or the scope of a limit. */
export type BreakerScope = `provider#${string}` | `endpoint#${string}` | `limit#${string}`

/**
 * One call that is to go through a breaker that is not closed. `everyMs`: it may go before its time, as the last resort,
 * where the last one was so long ago; null = only when it is due.
 */
export type TrialClaim = { scope: BreakerScope; everyMs: number | null }

export const providerScope = (provider: string): BreakerScope => `provider#${provider}`
/** The bench of an endpoint. */
export const benchScope = (endpoint: EndpointId): BreakerScope => `endpoint#${endpoint}`

const providerLimit = (provider: string): BreakerScope => `limit#provider#${provider}`
const modelLimit = (endpoint: EndpointId): BreakerScope => `limit#model#${endpoint}`
export const keyLimit = (provider: string, key: string): BreakerScope => `limit#key#${provider}#${key}`
export const keyModelLimit = (endpoint: EndpointId, key: string): BreakerScope =>
  `limit#key-model#${endpoint}#${key}`

/** Limits that bar an endpoint whatever key is used. */
export const endpointLimits = ({ id, provider }: Endpoint): readonly BreakerScope[] => [
  providerLimit(provider),
  modelLimit(id),
]

/** Limits that bar one key at an endpoint. */
export const keyLimits = ({ id, provider }: Endpoint, key: string): readonly BreakerScope[] => [
  keyLimit(provider, key),
  keyModelLimit(id, key),
]

/** Everything that may bar an endpoint with this key. */
export const scopesOf = (endpoint: Endpoint, key: string | null): readonly BreakerScope[] => [
  providerScope(endpoint.provider),
  benchScope(endpoint.id),
  ...endpointLimits(endpoint),
  ...(key === null ? [] : keyLimits(endpoint, key)),
]

export type LimitTarget = 'key' | 'key-model' | 'model' | 'provider'

/** Where a limit is kept. Without a key what would bar the key bars the model. */
export function limitScope(
  target: LimitTarget,
  { id, provider }: Endpoint,
  key: string | null,
): BreakerScope {
  if (target === 'provider') return providerLimit(provider)
  if (target === 'model' || key === null) return modelLimit(id)
  return target === 'key' ? keyLimit(provider, key) : keyModelLimit(id, key)
}

const KEY_LIMIT = /^limit#(key|key-model)#(.+)#([^#]+)$/s

/** The key that a limit bars: by whose provider or endpoint, and which; null for limits of no key. */
export function keyOfLimit(
  scope: string,
): { of: 'provider' | 'endpoint'; owner: string; key: string } | null {
  const [, target, owner, key] = KEY_LIMIT.exec(scope) ?? []
  if (owner === undefined || key === undefined) return null
  return { of: target === 'key' ? 'provider' : 'endpoint', owner, key }
}

/** The word for what a breaker bars, for people: `provider`, `bench`, `key`, `key-model`, `model`. */
export function scopeWord(scope: BreakerScope): string {
  const [family = '', target = ''] = scope.split('#')
  return family === 'endpoint' ? 'bench' : family === 'limit' ? target : family
}
