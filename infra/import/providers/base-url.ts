import { baseUrlProblem } from '../../../lambdas/config/base-url.ts'
import type { Host } from './hosts.ts'
import { placeOf } from './find-host.ts'

const trimmed = (url: string): string => url.replace(/\/+$/, '')

/** `host:11434` as people write it, as a URL. */
const withScheme = (url: string): string => (/^[a-z][\w+.-]*:\/\//i.test(url) ? url : `http://${url}`)

/** Azure's own hosts serve every deployment under one path, which needs no version. */
const AZURE_HOST = /\.azure\.com$/
const DEPLOYMENT = /\/openai\/deployments\/([^/?]+)/

type Azure = { version: string | undefined; model: string }

export type ImportedPlace = {
  /** Null = the host's own place. */
  baseUrl: string | null
  model: string
}

/** The deployment that a full URL names is the model, because its path is not kept. */
function azurePlace(base: string, azure: Azure): ImportedPlace {
  const { hostname, searchParams } = new URL(base)
  const named = DEPLOYMENT.exec(base)?.[1] ?? ''
  const isNamed = AZURE_HOST.test(hostname) && /^[\w.-]+$/.test(named)
  const version = azure.version ?? searchParams.get('api-version') ?? undefined
  return { baseUrl: azureUrl(base, { ...azure, version }), model: isNamed ? named : azure.model }
}

/** A gateway of one's own before Azure passes Azure's older paths through: one a deployment, with a version. */
function azureUrl(base: string, { version, model }: Azure): string {
  const { hostname, origin, pathname } = new URL(base)
  if (AZURE_HOST.test(hostname)) return `${origin}/openai/v1`
  if (pathname.endsWith('/v1') || version === undefined) return base
  const [path = base] = base.split('?')
  const front = trimmed(path.replace(DEPLOYMENT, '').replace(/\/openai\/?$/, ''))
  return `${front}/openai/deployments/${encodeURIComponent(DEPLOYMENT.exec(base)?.[1] ?? model)}?api-version=${version}`
}

/** Servers whose own API is beside the OpenAI-compatible one, or whose clients add the version themselves. */
const UNDER_V1: ReadonlySet<string> = new Set(['ollama', 'anthropic', 'lmstudio', 'llama.cpp', 'huggingface'])

/**
 * The base URL under which Backstop calls what another gateway reaches at `apiBase`; null = the host's own place.
 * @returns `problem` where it is none; never with the URL itself, which may hold a password.
 */
export function importedBaseUrl(
  host: Host | undefined,
  apiBase: string,
  azure: Azure,
): ImportedPlace | { problem: string } {
  const [path = '', query] = withScheme(apiBase).split(/\?(.*)/s)
  const front = trimmed(
    trimmed(path).replace(/\/(?:chat\/completions|responses|embeddings|v1\/messages)$/, ''),
  )
  const given = query === undefined ? front : `${front}?${query}`
  const problem = baseUrlProblem(given)
  if (problem !== null) return { problem }
  if (holdsMore(given)) return { problem: 'its query may hold a key' }
  if (host?.like === 'azure-openai') return azurePlace(given, azure)
  const { pathname } = new URL(given)
  const inner = pathname.endsWith('/api') && host?.like === 'ollama' ? given.replace(/\/api$/, '') : given
  const isBare = !/\/v\d\w*(?:\/|$)/.test(pathname)
  const baseUrl = host?.like && UNDER_V1.has(host.like) && isBare ? `${trimmed(inner)}/v1` : inner
  return { baseUrl: host && isOwnPlace(placeOf(host), baseUrl) ? null : baseUrl, model: azure.model }
}

/** A query may hold a key, and the version of Azure's API is none. */
const holdsMore = (url: string): boolean =>
  [...new URL(url).searchParams.keys()].some(name => name.toLowerCase() !== 'api-version')

/** Clients differ in whether they add the path of a well-known host themselves. */
function isOwnPlace(place: string | null, baseUrl: string): boolean {
  if (place === null || !URL.canParse(place)) return false
  const [own, given] = [new URL(place), new URL(baseUrl)]
  if (own.origin !== given.origin || given.search !== '') return false
  return [trimmed(own.pathname), '/v1', '', '/'].includes(given.pathname)
}
