import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLoopback } from './listening-host.ts'
import { CORS } from '../../lambdas/contract.ts'

const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i
const LOCAL_ORIGIN = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i
/** What a server that passes requests on adds to them. */
const PASSED_ON = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
]
/** What the commands and the page call. */
export const LOCAL_ROUTE = /^\/local(?:[/?]|$)/

/**
 * Whether a program on this machine calls, and under this machine's own name: only such may look into the gateway and
 * act on it. What another server passes on is somebody else's call; one that does not say so is known by nothing, for
 * which a gateway with client keys takes one here too.
 */
export function isLocalCall({ headers, socket }: IncomingMessage): boolean {
  const isHere = isLoopback(socket.remoteAddress ?? '') && LOCAL_HOST.test(headers.host ?? '')
  return isHere && PASSED_ON.every(name => headers[name] === undefined)
}

/**
 * Why a request must not be served; null where it may be. Without client keys anyone who reaches the port may call,
 * so that a web page elsewhere must not: neither directly nor under a name that it points at this machine. A gateway that
 * is open to the network has keys, and more names than anybody can list.
 */
export function originRefusal(
  request: IncomingMessage,
  { keyed, isOpen }: { keyed: boolean; isOpen: boolean },
): string | null {
  const { headers, url = '/' } = request
  const { host = '', origin } = headers
  if (LOCAL_ROUTE.test(url) && !isLocalCall(request) && (isOpen || LOCAL_HOST.test(host)))
    return (
      'The routes under /local serve programs on the machine of the gateway alone. ' +
      'From elsewhere, open a way to it: ssh -L 4141:127.0.0.1:4141 HOST'
    )
  if (!isOpen && !LOCAL_HOST.test(host))
    return 'This gateway serves this machine only. Call it as localhost or 127.0.0.1, not under another host name.'
  if (LOCAL_ROUTE.test(url)) {
    const site = headers['sec-fetch-site'] ?? 'none'
    const isOwn = origin === undefined || origin === `http://${host}`
    if (isOwn && (site === 'none' || site === 'same-origin')) return null
    return 'The routes under /local serve programs on this machine and pages of the gateway itself, no other origin.'
  }
  if (origin === undefined || keyed || LOCAL_ORIGIN.test(origin)) return null
  return (
    'Without client keys this gateway serves pages of localhost and 127.0.0.1 only. ' +
    'Set BACKSTOP_CLIENT_KEYS to call it from other origins.'
  )
}

/** The refusal, in the shape of every other error. */
export function refuseOrigin(response: ServerResponse, message: string): void {
  const error = { message, type: 'invalid_request_error', param: null, code: 'origin_not_allowed' }
  response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}

/** With client keys every origin may read, as in AWS; without, the one that asks and was let through. */
const allowedOrigin = (origin: string, keyed: boolean): Record<string, string> =>
  keyed
    ? { 'access-control-allow-origin': CORS.allowOrigins.join(',') }
    : { 'access-control-allow-origin': origin, vary: 'origin' }

/** Answers a preflight as the platform does, before any handler; true when it was one. */
export function answerPreflight(request: IncomingMessage, response: ServerResponse, keyed: boolean): boolean {
  const { origin, 'access-control-request-method': method } = request.headers
  if (request.method !== 'OPTIONS' || origin === undefined || method === undefined) return false
  response.writeHead(200, {
    ...allowedOrigin(origin, keyed),
    'access-control-allow-methods': CORS.allowMethods.join(','),
    'access-control-allow-headers': CORS.allowHeaders.join(','),
    'access-control-max-age': String(CORS.maxAgeSeconds),
    'content-length': '0',
  })
  response.end()
  return true
}

/** Lets a page of another origin read the answer and the gateway's own headers. */
export function exposeToOrigin(request: IncomingMessage, response: ServerResponse, keyed: boolean): void {
  const { origin } = request.headers
  if (origin === undefined) return
  for (const [name, value] of Object.entries(allowedOrigin(origin, keyed))) response.setHeader(name, value)
  response.setHeader('access-control-expose-headers', CORS.exposeHeaders.join(','))
}
