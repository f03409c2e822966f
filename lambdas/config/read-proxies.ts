import type { HttpProxy, ProxyFor } from '../core/http-proxy.ts'
import { createBypassList } from './bypass-list.ts'

type Variables = { readonly [name: string]: string | undefined }

/** The proxies that the environment names. */
export type Proxies = {
  /** Null = none is set, and nothing needs to be looked at in a call. */
  proxyFor: ProxyFor | null
  /** One sentence each, for people; never with a password. */
  notices: readonly string[]
  warnings: readonly string[]
}

/** The one that is set; lower case wins, as in curl and Node. */
function firstOf(env: Variables, names: readonly string[]): { variable: string; value: string } | null {
  for (const variable of names.flatMap(name => [name.toLowerCase(), name])) {
    const value = env[variable]?.trim()
    if (value) return { variable, value }
  }
  return null
}

/** A percent sign that encodes nothing stands for itself, as in a password that was not encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function parseProxy(value: string): HttpProxy | null {
  // Many write the host alone, and every other program takes it.
  const url = URL.parse(/^[a-z][\w+.-]*:\/\//i.test(value) ? value : `http://${value}`)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return null
  const secure = url.protocol === 'https:'
  const port = Number(url.port || (secure ? 443 : 80))
  const login = `${decoded(url.username)}:${decoded(url.password)}`
  return {
    name: `${url.protocol}//${url.hostname}:${port}`,
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    authorization: login === ':' ? null : `Basic ${Buffer.from(login).toString('base64')}`,
  }
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`.
 * @see https://about.gitlab.com/blog/we-need-to-talk-no-proxy/ for how other programs read them
 */
export function readProxies(env: Variables): Proxies {
  const warnings: string[] = []
  const read = (name: string): { variable: string; proxy: HttpProxy } | null => {
    const found = firstOf(env, [name, 'ALL_PROXY'])
    if (!found || found.value === 'none') return null
    const { variable, value } = found
    const proxy = parseProxy(value)
    if (proxy) return { variable, proxy }
    const isSocks = /^socks/i.test(value)
    warnings.push(
      `${variable} is ignored, and calls do not go through it: expected an address such as http://proxy.example.com:3128` +
        `${isSocks ? '; SOCKS is not supported, so use the HTTP port of the proxy' : ''}.`,
    )
    return null
  }
  const https = read('HTTPS_PROXY')
  const http = read('HTTP_PROXY')
  if (!https && !http) return { proxyFor: null, notices: [], warnings: [...new Set(warnings)] }
  const isBypassed = createBypassList(firstOf(env, ['NO_PROXY'])?.value ?? '')
  const proxyFor: ProxyFor = text => {
    const url = URL.parse(text)
    if (url === null || isBypassed(url)) return null
    return (url.protocol === 'https:' ? https : http)?.proxy ?? null
  }
  const notices = [
    ...(https
      ? [`Calls to https:// hosts go through the proxy ${https.proxy.name} (${https.variable}).`]
      : []),
    ...(http ? [`Calls to http:// hosts go through the proxy ${http.proxy.name} (${http.variable}).`] : []),
  ]
  return { proxyFor, notices, warnings: [...new Set(warnings)] }
}
