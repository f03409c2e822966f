import type { EndpointId } from './endpoint.ts'
import type { BreakerScope } from './health/breaker-scope.ts'
import { shortHash } from './health/short-hash.ts'

/** Sort keys of the table's `state` partition. */
export type EndpointKey = `endpoint#${string}`
export type BreakerKey = `breaker#${BreakerScope}`
export type CapabilityKey = `capability#${string}`
/** Says that the fleet keeps counters of quotas there, though no configuration states any. */
export type QuotaMarkKey = `quota#${string}`
export type StateKey = EndpointKey | BreakerKey | CapabilityKey | QuotaMarkKey | 'settings' | 'mode'
/** Sort keys of counters: an endpoint's, and one of the shards of a provider's. */
export type StatsKey = `endpoint#${string}` | `breaker#${string}#${number}`
/** The counters of one key's quotas: of all models (`all`), or of one endpoint. */
export type QuotaKey = `usage#${string} ${string}`
/** The partition of one session. */
export type SessionKey = `session#${string}`
/** The partition of one answer that later requests may refer to. */
export type ResponseKey = `response#${string}`
/** A partition of counters of use: against limits, or on record. */
export type UsageKey = `usage#${string}`

export const endpointKey = (id: EndpointId): EndpointKey => `endpoint#${id}`
export const breakerKey = (scope: BreakerScope): BreakerKey => `breaker#${scope}`
export const capabilityKey = (id: EndpointId): CapabilityKey => `capability#${id}`
/** `session` is a hash of the session's id and its client. */
export const sessionKey = (session: string): SessionKey => `session#${session}`
/** `answer` is a hash of the answer's id and its client. */
export const responseKey = (answer: string): ResponseKey => `response#${answer}`

export const isBreakerKey = (key: string): key is BreakerKey =>
  /^breaker#(?:provider|endpoint|limit)#/.test(key)
export const scopeOf = (key: BreakerKey): BreakerScope => key.slice('breaker#'.length) as BreakerScope

/** What a key names, without the word that tells of what kind it is. */
export const subjectOf = (key: string): string => key.slice(key.indexOf('#') + 1)

/** Counters stand in so many partitions, and a provider's in so many shards: one partition takes 1,000 writes a second. */
export const STATS_PARTITIONS = 8

export const providerShardKey = (provider: string, shard: number): StatsKey => `breaker#${provider}#${shard}`

export const providerShardKeys = (provider: string): readonly StatsKey[] =>
  Array.from({ length: STATS_PARTITIONS }, (_, shard) => providerShardKey(provider, shard))

const SHARD = /^breaker#.*#(\d+)$/s

/** The partition of an item of counters: each shard of a provider has its own. */
export function statsPartition(key: StatsKey): string {
  const shard = SHARD.exec(key)?.[1]
  return `stats#${(shard === undefined ? shortHash(key) : Number(shard)) % STATS_PARTITIONS}`
}

/** @param endpoint null = the quotas that all models of the key share */
export const quotaKey = (provider: string, key: string | null, endpoint: EndpointId | null): QuotaKey =>
  `usage#${provider}#${key ?? '-'} ${endpoint ?? 'all'}`

/** Where an item of counters stands in the table. */
export function quotaAddress(key: QuotaKey): { pk: string; sk: string } {
  const at = key.indexOf(' ')
  return { pk: key.slice(0, at), sk: key.slice(at + 1) }
}

export const quotaMarkKey = (key: QuotaKey): QuotaMarkKey => `quota#${key.slice('usage#'.length)}`
export const quotaKeyOf = (mark: QuotaMarkKey): QuotaKey => `usage#${subjectOf(mark)}` as QuotaKey
