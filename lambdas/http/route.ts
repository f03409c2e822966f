import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { GatewayError } from './gateway-error.ts'
import { modelReply, modelsReply } from './models-reply.ts'
import { jsonReply, type Reply } from './reply.ts'

export type Routes = {
  aliases: readonly string[]
  closestAlias(name: string): string | null
  endpoints(): Promise<readonly object[]>
  chat(event: LambdaFunctionURLEvent): Promise<Reply>
}

/** OpenAI routes that people try and that are not served, with what to do instead. */
const ELSEWHERE: Record<string, string> = {
  '/v1/embeddings': 'Embeddings are not served here: vectors of different models do not mix.',
  '/v1/responses': 'The Responses API is not served here. Use POST /v1/chat/completions.',
  '/v1/messages': 'The Anthropic Messages API is not served here. Use POST /v1/chat/completions.',
  '/v1/completions': 'Legacy completions are not served here. Use POST /v1/chat/completions.',
}

const withoutTrailingSlash = (path: string): string => (path.length > 1 ? path.replace(/\/$/, '') : path)

export const isHealthCheck = ({ rawPath, requestContext }: LambdaFunctionURLEvent): boolean =>
  withoutTrailingSlash(rawPath) === '/healthz' && ['GET', 'HEAD'].includes(requestContext.http.method)

export const isChat = ({ rawPath, requestContext }: LambdaFunctionURLEvent): boolean =>
  withoutTrailingSlash(rawPath) === '/v1/chat/completions' && requestContext.http.method === 'POST'

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Finds who answers. Throws `GatewayError` for a route that does not exist. */
export async function route(event: LambdaFunctionURLEvent, routes: Routes): Promise<Reply> {
  const path = withoutTrailingSlash(event.rawPath)
  const { method } = event.requestContext.http
  const asked = `${method} ${path}`
  if (isChat(event)) return routes.chat(event)
  if (asked === 'GET /v1/endpoints') return jsonReply(200, { object: 'list', data: await routes.endpoints() })
  if (asked === 'GET /v1/models') return modelsReply(routes.aliases)
  if (asked.startsWith('GET /v1/models/')) {
    const alias = decodeSegment(path.slice('/v1/models/'.length))
    return modelReply(routes.aliases, alias, routes.closestAlias)
  }
  if (isHealthCheck(event)) return jsonReply(200, { status: 'ok' })
  const hint =
    ELSEWHERE[path] ?? 'Served: POST /v1/chat/completions, GET /v1/models, GET /v1/endpoints, GET /healthz.'
  throw new GatewayError('unknown_route', `No route ${asked.slice(0, 120)}. ${hint}`)
}
