import type { Blame } from '../failures/blame.ts'
import type { Endpoint, EndpointId } from '../endpoint.ts'

const providerScope = (provider: string): string => `provider#${provider}`
const modelScope = (endpoint: EndpointId): string => `model#${endpoint}`
const keyScope = (provider: string, key: string): string => `key#${provider}#${key}`
const keyModelScope = (endpoint: EndpointId, key: string): string => `key-model#${endpoint}#${key}`

/** The scope of a bench: an endpoint that is ill, whatever its provider's state. */
export const benchScope = (endpoint: EndpointId): string => `bench#${endpoint}`

/** The scopes whose cooldown bars an endpoint whatever key is used; a bench is not among them. */
export const endpointScopes = (endpoint: Endpoint): readonly string[] => [
  providerScope(endpoint.provider),
  modelScope(endpoint.id),
]

/** The scopes whose cooldown bars one key at an endpoint. */
export const keyScopes = (endpoint: Endpoint, key: string): readonly string[] => [
  keyScope(endpoint.provider, key),
  keyModelScope(endpoint.id, key),
]

/** Where a cooldown is kept. Without a key what would bar the key bars the model. */
export function cooldownScope(
  target: NonNullable<Blame['cooldown']>,
  endpoint: Endpoint,
  key: string | null,
): string {
  if (target === 'provider') return providerScope(endpoint.provider)
  if (target === 'model' || key === null) return modelScope(endpoint.id)
  return target === 'key' ? keyScope(endpoint.provider, key) : keyModelScope(endpoint.id, key)
}
