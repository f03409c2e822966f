import type { EndpointId } from './endpoint.ts'

/** Sort keys of the table's `state` partition. */
export type EndpointKey = `endpoint#${string}`
export type BreakerKey = `breaker#${string}`
export type CooldownKey = `cooldown#${string}`
export type CapabilityKey = `capability#${string}`
export type StateKey = EndpointKey | BreakerKey | CooldownKey | CapabilityKey | 'settings' | 'mode'
/** Sort keys of counters. */
export type StatsKey = `endpoint#${string}` | `breaker#${string}`
/** The partition of one session. */
export type SessionKey = `session#${string}`
/** The partition of one answer that later requests may refer to. */
export type ResponseKey = `response#${string}`

export const endpointKey = (id: EndpointId): EndpointKey => `endpoint#${id}`
export const breakerKey = (provider: string): BreakerKey => `breaker#${provider}`
export const cooldownKey = (scope: string): CooldownKey => `cooldown#${scope}`
export const capabilityKey = (id: EndpointId): CapabilityKey => `capability#${id}`
/** `session` is a hash of the session's id and its client. */
export const sessionKey = (session: string): SessionKey => `session#${session}`
/** `answer` is a hash of the answer's id and its client. */
export const responseKey = (answer: string): ResponseKey => `response#${answer}`

export const isCooldownKey = (key: StateKey): key is CooldownKey => key.startsWith('cooldown#')

/** What a key names, without the word that tells of what kind it is. */
export const subjectOf = (key: string): string => key.slice(key.indexOf('#') + 1)
