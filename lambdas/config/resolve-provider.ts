import type { Endpoint, EndpointTimeouts } from '../core/endpoint.ts'
import type { JsonObject } from '../core/json.ts'
import type { DeclaredQuotas } from '../core/quota/quotas.ts'
import { findProvider, providerRow } from '../providers/catalog.ts'
import { baseUrlMark, normalizeBaseUrl } from './base-url.ts'
import type { ProviderConfig } from './gateway-config.ts'
import { timeoutsOf } from './timeouts-of.ts'

/** A provider with the configuration laid over its row. */
export type ResolvedProvider = {
  id: string
  /** What its endpoints' ids begin with: `groq`, or `mine@1a2b3c4d` away from the catalogue's base URL. */
  idPrefix: string
  /** Null where the account decides and the configuration does not say. */
  baseUrl: string | null
  needsKey: boolean
  timeouts: EndpointTimeouts
  /** Of each of its keys. */
  quotas?: DeclaredQuotas | undefined
  wires: ProviderConfig['wires']
  like?: string
  /** What is added to each call. */
  added: Pick<Endpoint, 'headers' | 'body'>
}

type Added = { headers?: Record<string, string> | undefined; body?: JsonObject | undefined }

/** Header names in small letters, because two spellings are one header. */
export const addedBy = ({ headers, body }: Added): Pick<Endpoint, 'headers' | 'body'> => ({
  ...(headers && {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  }),
  ...(body && { body }),
})

/** A provider as it is called: the configuration wins over the catalogue. */
export function resolveProvider(id: string, config: ProviderConfig, region: string): ResolvedProvider {
  const { like } = config
  const row = providerRow(like ?? id)
  const urlOf = (name: string): string | null =>
    findProvider(name)?.baseUrl?.replace('{region}', region) ?? null
  const cataloged = urlOf(id)
  const baseUrl = config.baseUrl === undefined ? urlOf(like ?? id) : normalizeBaseUrl(config.baseUrl)
  return {
    id,
    idPrefix: baseUrl === null || baseUrl === cataloged ? id : `${id}@${baseUrlMark(baseUrl)}`,
    baseUrl,
    needsKey: row.needsKey && config.key !== false,
    timeouts: { ...row.timeouts, ...timeoutsOf(config) },
    quotas: config.quotas,
    wires: config.wires,
    added: addedBy(config),
    ...(like !== undefined && { like }),
  }
}
