import type { IncomingMessage, ServerResponse } from 'node:http'
import { REQUEST_HEADERS } from '../../../lambdas/contract.ts'
import { openAiErrorReply } from '../../../lambdas/http/replies/openai-error.ts'
import { createClientOf } from '../../../lambdas/keys/client-of.ts'
import { keysIn } from '../../../lambdas/http/presented-keys.ts'
import { LOCAL_ROUTE } from '../cross-origin.ts'
import type { LocalRoute } from '../function-url.ts'

/**
 * The routes under `/local`, for callers that show a client key where there are any. That a call comes from this
 * machine is not enough then: a reverse proxy that adds no header of its own cannot be told from a program here.
 */
export function behindClientKey(clientKeys: readonly string[], routes: readonly LocalRoute[]): LocalRoute {
  const clientOf = createClientOf(clientKeys.map(key => ['client', key]))
  return (request, response) => {
    if (!LOCAL_ROUTE.test(request.url ?? '')) return false
    const shown = presentedBy(request)
    if (clientKeys.length > 0 && !shown.some(key => clientOf(key) !== null)) {
      refuse(response, shown.length > 0)
      return true
    }
    return routes.some(route => route(request, response))
  }
}

function presentedBy({ headers }: IncomingMessage): readonly string[] {
  const apiKey = headers[REQUEST_HEADERS.apiKey]
  return keysIn(headers.authorization, typeof apiKey === 'string' ? apiKey : undefined)
}

function refuse(response: ServerResponse, wasShown: boolean): void {
  const message = wasShown
    ? 'The client key is not one of this gateway.'
    : 'This gateway has client keys, and so the routes under /local need one of them, ' +
      'as "Authorization: Bearer <client key>" or "x-api-key: <client key>".'
  const { status, headers, body } = openAiErrorReply({ code: 'invalid_api_key', message })
  response.writeHead(status, headers).end(String(body))
}
