import type { IncomingMessage, ServerResponse } from 'node:http'
import { CORS } from '../../lambdas/contract.ts'

/** Answers a preflight as the platform does, before any handler; true when it was one. */
export function answerPreflight(request: IncomingMessage, response: ServerResponse): boolean {
  const { origin, 'access-control-request-method': method } = request.headers
  if (request.method !== 'OPTIONS' || origin === undefined || method === undefined) return false
  response.writeHead(200, {
    'access-control-allow-origin': CORS.allowOrigins.join(','),
    'access-control-allow-methods': CORS.allowMethods.join(','),
    'access-control-allow-headers': CORS.allowHeaders.join(','),
    'access-control-max-age': String(CORS.maxAgeSeconds),
    'content-length': '0',
  })
  response.end()
  return true
}

/** Lets a page of any origin read the answer and the gateway's own headers. */
export function exposeToOrigin(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.origin === undefined) return
  response.setHeader('access-control-allow-origin', CORS.allowOrigins.join(','))
  response.setHeader('access-control-expose-headers', CORS.exposeHeaders.join(','))
}
