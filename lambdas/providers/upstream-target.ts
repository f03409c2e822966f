import type { Endpoint } from '../core/endpoint.ts'
import { providerRow } from './catalog.ts'

/** The version in package.json, which a test compares. */
const USER_AGENT = 'backstop/0.1.0'

/**
 * Where an endpoint is called, at this path behind its base URL, and with which headers. A query string of the base URL
 * (Azure's `?api-version=`) follows the path. Without a key no authentication header is sent.
 */
export function upstreamTarget(
  endpoint: Endpoint,
  key: string | null,
  path: string,
): { url: string; headers: Record<string, string> } {
  const [base = '', ...query] = endpoint.baseUrl.split('?')
  return {
    url: [`${base.replace(/\/+$/, '')}${path}`, ...query].join('?'),
    headers: {
      accept: 'application/json, text/event-stream',
      // Events are read as they come; a compressed stream would arrive in lumps.
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      ...(key === null ? {} : authentication(endpoint.provider, key)),
    },
  }
}

function authentication(provider: string, key: string): Record<string, string> {
  const scheme = providerRow(provider).authentication
  return scheme === 'bearer' ? { authorization: `Bearer ${key}` } : { [scheme.header]: key }
}
