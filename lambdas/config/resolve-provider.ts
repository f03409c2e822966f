import type { EndpointTimeouts } from '../core/endpoint.ts'
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
  wires: ProviderConfig['wires']
}

/** A provider as it is called: the configuration wins over the catalogue. */
export function resolveProvider(id: string, config: ProviderConfig, region: string): ResolvedProvider {
  const row = providerRow(id)
  const cataloged = findProvider(id)?.baseUrl?.replace('{region}', region) ?? null
  const baseUrl = config.baseUrl === undefined ? cataloged : normalizeBaseUrl(config.baseUrl)
  return {
    id,
    idPrefix: baseUrl === null || baseUrl === cataloged ? id : `${id}@${baseUrlMark(baseUrl)}`,
    baseUrl,
    needsKey: row.needsKey && config.key !== false,
    timeouts: { ...row.timeouts, ...timeoutsOf(config) },
    wires: config.wires,
  }
}
