import { findProvider } from '../../../lambdas/providers/catalog.ts'
import { HOSTS, REFUSED_HOSTS, type Host } from './hosts.ts'

/** One spelling for `together_ai`, `together-ai` and `TogetherAI`. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

const BY_NAME: ReadonlyMap<string, Host> = new Map(
  HOSTS.flatMap(host => host.names.map(name => [plain(name), host] as const)),
)

/** The host that another gateway calls by this name. */
export const hostNamed = (name: string): Host | undefined => BY_NAME.get(plain(name))

/** Why a host of this name cannot be called, and what to do; undefined where it can, or is not known. */
export const refusalOf = (name: string): string | undefined => REFUSED_HOSTS.get(plain(name))

/** Where a host is, if there is one place; null where the account decides. */
export const placeOf = ({ like, baseUrl }: Host): string | null =>
  baseUrl ?? (like === undefined ? null : (findProvider(like)?.baseUrl ?? null))

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null)

/** Ports that nothing else listens on by custom. */
const TELLING_PORTS: ReadonlyMap<string, string> = new Map([
  ['11434', 'ollama'],
  ['1234', 'lmstudio'],
])

/** Whether a base URL leads to one's own machine or network, where hosts often need no key and start slowly. */
export function isOwnNetwork(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return (
    !hostname.includes('.') ||
    /^(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.|\.(?:local|internal|localhost|lan|home)$/.test(
      hostname,
    )
  )
}

/** The host whose own place a base URL is at. */
export function hostAt(baseUrl: string): Host | undefined {
  const origin = originOf(baseUrl)
  if (origin === null) return undefined
  const { hostname, port } = new URL(baseUrl)
  const byPort = TELLING_PORTS.get(port)
  if (byPort !== undefined) return hostNamed(byPort)
  // Elsewhere on one's own machine a port says little about what listens there.
  if (/^(?:127\.|localhost$|\[::1\]$)/.test(hostname)) return undefined
  if (/\.(?:openai|cognitiveservices|services\.ai)\.azure\.com$/.test(hostname)) return hostNamed('azure')
  return HOSTS.find(host => originOf(placeOf(host) ?? '') === origin)
}

/** The longest name of a host that is one of the words of a name that people chose: `openai-prod-eu`. */
export function hostWithin(chosen: string): Host | undefined {
  const words = chosen.toLowerCase().split(/[^a-z0-9]+/)
  for (let length = Math.min(words.length, 3); length > 0; length -= 1) {
    for (let start = 0; start + length <= words.length; start += 1) {
      const found = hostNamed(words.slice(start, start + length).join(''))
      if (found) return found
    }
  }
  return undefined
}
