import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/** The header that carries the page's token. */
export const TOKEN_HEADER = 'x-backstop-page'

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Why a request of a page must not be served: a status and what to do about it. */
export type PageRefusal = { status: 401 | 403; message: string }

/**
 * Lets only the page itself through. Without a token the port is open to this machine anyway, so that the names under
 * which a web page elsewhere could reach it are refused (DNS rebinding); a token is what no such page can know, and no
 * cookie carries it. https://fetch.spec.whatwg.org/#origin-header
 */
export function pageRefusal(request: IncomingMessage, token: string | null): PageRefusal | null {
  const { host = '', origin, 'sec-fetch-site': site = 'none' } = request.headers
  const isOwn = origin === undefined || origin === `http://${host}`
  if (!isOwn || (site !== 'none' && site !== 'same-origin'))
    return { status: 403, message: 'Only the page of this gateway itself may call this.' }
  if (token === null) {
    if (LOOPBACK_HOST.test(host)) return null
    return { status: 403, message: 'Open the page as localhost or 127.0.0.1, not under another host name.' }
  }
  const shown = request.headers[TOKEN_HEADER]
  if (typeof shown === 'string' && timingSafeEqual(hash(shown), hash(token))) return null
  return { status: 401, message: 'Open the page by the link that was printed when it was started.' }
}
