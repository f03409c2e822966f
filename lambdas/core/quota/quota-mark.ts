import type { Endpoint, EndpointId } from '../endpoint.ts'

/** One endpoint with one of its provider's keys; null = it is called without. */
export type KeyAtEndpoint = `${EndpointId}#${string}`
export const keyAtEndpoint = ({ id }: Pick<Endpoint, 'id'>, key: string | null): KeyAtEndpoint =>
  `${id}#${key ?? ''}`

/** What known quotas leave of an endpoint with one key. */
export type QuotaMark = {
  /** The share that is left of the quota that is nearest to its end: 0 to 1. */
  headroom: number
  /** Spent: nothing can be sent before then; null = something is left. Epoch milliseconds. */
  spentUntil: number | null
}

/** What the plan knows of quotas; without a mark no quota is known. */
export type QuotaMarks = ReadonlyMap<KeyAtEndpoint, QuotaMark>

type KnownQuotas = { keys: ReadonlyMap<string, readonly string[]>; quotas: QuotaMarks }

/** The keys that an endpoint may be called with; none at all, where its host needs none and none is set. */
export const keysAt = (
  { provider }: Endpoint,
  { keys }: Pick<KnownQuotas, 'keys'>,
): readonly (string | null)[] => {
  const known = keys.get(provider) ?? []
  return known.length === 0 ? [null] : known
}

/** The same with this key. */
export const headroomAt = (
  endpoint: Endpoint,
  key: string | null,
  { quotas }: Pick<KnownQuotas, 'quotas'>,
): number => quotas.get(keyAtEndpoint(endpoint, key))?.headroom ?? 1

/** The share that is left of an endpoint's quotas, 0 to 1, with its best key; 1 where no quota is known. */
export const headroomOf = (endpoint: Endpoint, known: KnownQuotas): number =>
  Math.max(...keysAt(endpoint, known).map(key => headroomAt(endpoint, key, known)))
