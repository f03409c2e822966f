import type * as z from 'zod/mini'
import { perCapability } from '../core/capabilities.ts'
import type { Endpoint, EndpointTimeouts } from '../core/endpoint.ts'
import { listPriceFor, quirksFor } from '../providers/catalog.ts'
import type { endpointConfigSchema } from './schema/config-schema.ts'
import { splitReference } from './endpoint-reference.ts'
import { wiresOf } from './wires-of.ts'
import { addedBy, type ResolvedProvider } from './resolve-provider.ts'
import { timeoutsOf } from './timeouts-of.ts'

const LOCAL_HOSTS = /^(?:localhost|.*\.localhost|.*\.local|\[::1\]|127\.\d+\.\d+\.\d+)$/
const PRIVATE_HOSTS = /^(?:10\.\d+|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.\d+\.\d+$|^\[f[cd]|^\[fe80:/

type Added = Pick<Endpoint, 'headers' | 'body'>

/** The long form of an entry, its reference a plain text. */
type Entry = z.infer<typeof endpointConfigSchema>

/**
 * An entry of a tier as a complete endpoint; its own timeouts win over the alias's, those over the provider's.
 * @throws Error where the reference leads nowhere, which validation reports in better words.
 */
export function resolveEndpoint(
  entry: string | Entry,
  aliasTimeouts: EndpointTimeouts,
  providers: ReadonlyMap<string, ResolvedProvider>,
): Endpoint {
  const config: Entry = typeof entry === 'string' ? { endpoint: entry } : entry
  const endpoint = endpointAt(config, aliasTimeouts, providers)
  if (endpoint === null) throw new Error(`The endpoint "${config.endpoint}" has no provider with a base URL.`)
  return endpoint
}

/** The same for an entry that may lead nowhere: null where no provider with a base URL bears its name. */
export function endpointAt(
  config: Entry,
  aliasTimeouts: EndpointTimeouts,
  providers: ReadonlyMap<string, ResolvedProvider>,
): Endpoint | null {
  const parts = splitReference(config.endpoint)
  const provider = parts === null ? undefined : providers.get(parts.provider)
  if (parts === null || !provider || provider.baseUrl === null) return null
  const { streams } = quirksFor(provider.like ?? provider.id, parts.model)
  const own = addedBy(config)
  return {
    id: `${provider.idPrefix}/${parts.model}`,
    name: config.endpoint,
    provider: provider.id,
    baseUrl: provider.baseUrl,
    model: parts.model,
    needsKey: provider.needsKey && config.key !== false,
    isLocal: isLocalUrl(provider.baseUrl),
    contextWindow: config.contextWindow ?? null,
    ...perCapability(name => config[name] ?? (name === 'stream' && !streams ? false : null)),
    droppedParams: [],
    ...likeOf(provider),
    ...merged(provider.added, own),
    ...(config.probe === false && { probe: false }),
    wires: wiresOf(
      { provider: provider.id, baseUrl: provider.baseUrl, model: parts.model, ...likeOf(provider) },
      provider.wires,
      config.wires,
    ),
    ...(provider.quotas || config.quotas
      ? { quotas: { ofKey: provider.quotas ?? {}, ofModel: config.quotas ?? {} } }
      : {}),
    price: config.price ?? listPriceFor({ ...provider, id: provider.like ?? provider.id }, parts.model),
    ...(config.weight === undefined ? {} : { weight: config.weight }),
    timeouts: { ...provider.timeouts, ...aliasTimeouts, ...timeoutsOf(config) },
  }
}

const likeOf = ({ like }: ResolvedProvider): Pick<Endpoint, 'like'> => (like === undefined ? {} : { like })

/** What the provider adds and what the endpoint adds; the endpoint's wins. */
function merged(provider: Added, own: Added): Added {
  const headers = { ...provider.headers, ...own.headers }
  const body = { ...provider.body, ...own.body }
  return {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(body).length > 0 && { body }),
  }
}

/** Whether a base URL lies on this machine or on a private network, where its owner rarely has another. */
function isLocalUrl(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return LOCAL_HOSTS.test(hostname) || PRIVATE_HOSTS.test(hostname)
}
