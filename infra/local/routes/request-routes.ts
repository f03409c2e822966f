import type { IncomingMessage, ServerResponse } from 'node:http'
import { didYouMean } from '../../../lambdas/config/closest-name.ts'
import { openAiErrorReply } from '../../../lambdas/http/replies/openai-error.ts'
import {
  MOST_LISTED_REQUESTS,
  REQUEST_OUTCOMES,
  requestQuerySchema,
  requestRowSchema,
} from '../../request-contract.ts'
import { requestRowFields, statusOfCode } from '../../explain/request-row.ts'
import type { LocalRoute } from '../function-url.ts'
import type { RememberedRequest, RequestMemory } from '../request-memory.ts'

const ONE = /^\/local\/requests\/([^/?]+)$/
const LIST = /^\/local\/requests(?:\?|$)/

/** `GET /local/requests/<id>`: what is remembered of one request. */
export function requestRoute(memory: RequestMemory): LocalRoute {
  return (request, response) => {
    const encoded = ONE.exec(request.url ?? '')?.[1]
    if (encoded === undefined || request.method !== 'GET') return false
    const line = memory.find(decode(encoded))
    const message =
      'No request with this ID. The gateway remembers its last 1,000 requests until it stops. ' +
      'The newest one: npm run why -- last. The last 20: npm run why -- -n 20'
    const error = { message, type: 'invalid_request_error', param: null, code: 'unknown_request' }
    answer(response, line ? 200 : 404, line ? withStatus(line) : { error })
    return true
  }
}

/**
 * `GET /local/requests`: the last requests, the newest first, in a few words each. `?outcome=failed,cut`, `model=`,
 * `caller=` and `limit=` narrow them down.
 */
export function requestListRoute(memory: RequestMemory): LocalRoute {
  return (request, response) => {
    if (request.method !== 'GET' || !LIST.test(request.url ?? '')) return false
    serveList(memory, request, response)
    return true
  }
}

function serveList(memory: RequestMemory, { url = '' }: IncomingMessage, response: ServerResponse): void {
  const parameters = new URL(url, 'http://127.0.0.1').searchParams
  const { success, data: query, error } = requestQuerySchema.safeParse(Object.fromEntries(parameters))
  if (!success) {
    const param = String(error.issues[0]?.path[0] ?? '')
    const refusal = openAiErrorReply({
      code: 'invalid_request',
      message: sentenceFor(param, parameters),
      param,
    })
    response.writeHead(refusal.status, { 'content-type': 'application/json' }).end(String(refusal.body))
    return
  }
  const { outcome, model, caller, limit } = query
  const isWanted = (line: RememberedRequest): boolean => {
    const isCompleted = line.event === 'request-completed'
    return (
      (outcome?.includes(isCompleted ? line.outcome : 'rejected') ?? true) &&
      (model === undefined || (isCompleted && line.alias === model)) &&
      (caller === undefined || line.caller === caller)
    )
  }
  const wanted = memory.newestFirst().filter(isWanted).slice(0, limit)
  answer(response, 200, { data: wanted.map(line => requestRowSchema.parse(requestRowFields(line))) })
}

function sentenceFor(param: string, parameters: URLSearchParams): string {
  if (param === 'limit') return `limit: expected a whole number from 1 to ${MOST_LISTED_REQUESTS}.`
  if (param === 'outcome')
    return `outcome: expected one or several of ${REQUEST_OUTCOMES.join(', ')}, separated by commas.`
  const known = Object.keys(requestQuerySchema.shape)
  const unknown = [...parameters.keys()].find(name => !known.includes(name)) ?? ''
  return `There is no parameter "${unknown}". Choose of ${known.join(', ')}.${didYouMean(unknown, known)}`
}

const withStatus = (line: RememberedRequest): object =>
  line.event === 'request-rejected' ? { ...line, status: statusOfCode(line.code) } : line

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
