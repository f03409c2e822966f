import type { RequestCompleted } from '../../lambdas/core/request-completed.ts'
import type { LocalRoute } from './function-url.ts'

/** The last requests, by id. */
export type RequestMemory = {
  remember(line: RequestCompleted): void
  find(requestId: string): RequestCompleted | undefined
}

const REMEMBERED_REQUESTS = 1_000
const ROUTE = /^\/local\/requests\/([^/?]+)$/

/** Keeps the newest lines; where a client uses an id twice, its last request. */
export function createRequestMemory(limit = REMEMBERED_REQUESTS): RequestMemory {
  const lines = new Map<string, RequestCompleted>()
  return {
    remember(line) {
      lines.delete(line.requestId)
      lines.set(line.requestId, line)
      const [oldest] = lines.keys()
      if (lines.size > limit && oldest !== undefined) lines.delete(oldest)
    },
    find: requestId => lines.get(requestId),
  }
}

/** `GET /local/requests/<id>`: what is remembered of one request. */
export function requestRoute(memory: RequestMemory): LocalRoute {
  return (request, response) => {
    const encoded = ROUTE.exec(request.url ?? '')?.[1]
    if (encoded === undefined || request.method !== 'GET') return false
    const line = memory.find(decode(encoded))
    const message = 'No request with this ID. The gateway remembers its last 1,000 requests until it stops.'
    const error = { message, type: 'invalid_request_error', param: null, code: 'unknown_request' }
    response.writeHead(line ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(line ?? { error }))
    return true
  }
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
