import type { Endpoint } from '../core/endpoint.ts'
import type { EndpointWire } from '../core/native-call.ts'
import { rowOf } from './catalog.ts'

/** The version in package.json, which a test compares. */
const USER_AGENT = 'backstop/0.1.0'

export type UpstreamTarget = { url: string; headers: Record<string, string> }

type Authentication = 'bearer' | { header: string }

const headersFor = (
  authentication: Authentication,
  key: string | null,
  added: Endpoint['headers'] = {},
): Record<string, string> => ({
  accept: 'application/json, text/event-stream',
  // Events are read as they come; a compressed stream would arrive in lumps.
  'accept-encoding': 'identity',
  'content-type': 'application/json',
  'user-agent': USER_AGENT,
  ...added,
  ...(key === null
    ? {}
    : authentication === 'bearer'
      ? { authorization: `Bearer ${key}` }
      : { [authentication.header]: key }),
})

/**
 * Where an endpoint is called, at this path behind its base URL, and with which headers. A query string of the base URL
 * (Azure's `?api-version=`) follows the path. Without a key no authentication header is sent.
 */
export function upstreamTarget(endpoint: Endpoint, key: string | null, path: string): UpstreamTarget {
  const [base = '', ...query] = endpoint.baseUrl.split('?')
  return {
    url: [`${base.replace(/\/+$/, '')}${path}`, ...query].join('?'),
    headers: headersFor(rowOf(endpoint).authentication, key, endpoint.headers),
  }
}

/** The same for one of the other APIs that an endpoint speaks. */
export const nativeTarget = (
  { url, authentication }: EndpointWire,
  key: string | null,
  added: Endpoint['headers'],
): UpstreamTarget => ({ url, headers: headersFor(authentication, key, added) })
