import type { Endpoint, EndpointId } from './endpoint.ts'

const providerScope = (provider: string): string => `provider#${provider}`
const modelScope = (endpoint: EndpointId): string => `model#${endpoint}`
const keyScope = (provider: string, key: string): string => `key#${provider}#${key}`
const keyModelScope = (endpoint: EndpointId, key: string): string => `key-model#${endpoint}#${key}`

/** The scopes whose cooldown bars an endpoint whatever key is used. */
export const endpointScopes = (endpoint: Endpoint): readonly string[] => [
  providerScope(endpoint.provider),
  modelScope(endpoint.id),
]

/** The scopes whose cooldown bars one key at an endpoint. */
export const keyScopes = (endpoint: Endpoint, key: string): readonly string[] => [
  keyScope(endpoint.provider, key),
  keyModelScope(endpoint.id, key),
]
