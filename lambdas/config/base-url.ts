import { createHash } from 'node:crypto'

/** What is wrong with a base URL, in words for a message that does not show it; null where nothing is. */
export function baseUrlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'expected a URL such as "https://llm.example.com/v1"'
  const { protocol, username, password, hash, pathname } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:')
    return 'expected a URL that starts with https:// or http://'
  if (username !== '' || password !== '') return 'expected a URL without a name or password in it'
  if (hash !== '') return 'expected a URL without a #fragment'
  if (/\/chat\/completions\/*$/.test(pathname)) {
    return 'expected the base without /chat/completions, which the gateway appends'
  }
  return null
}

/** One spelling for one place: no trailing slash, host in small letters, no default port; the query is kept. */
export function normalizeBaseUrl(text: string): string {
  const { origin, pathname, search } = new URL(text)
  return `${origin}${pathname.replace(/\/+$/, '')}${search}`
}

/** The mark by which an endpoint at a place of its own is told from the catalogue's: eight hex digits. */
export function baseUrlMark(normalized: string): string {
  return createHash('sha256').update(normalized).digest('hex').slice(0, 8)
}
