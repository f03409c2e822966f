import type { LambdaFunctionURLEvent } from 'aws-lambda'
import type { Caller } from '../core/caller.ts'
import type { ChatRequest } from '../core/chat-request.ts'
import { GatewayError } from '../core/routing/gateway-error.ts'
import type { Outcome } from '../engine/request/outcome.ts'
import type { Invocation } from '../engine/request/run.ts'
import type { BeginTrace } from '../engine/tracing/tracing.ts'
import { requestIdOf } from './request-headers.ts'
import { answerReply, type AnswerTools } from './replies/answer-reply.ts'
import { endpointsReply, type EndpointsTools } from './replies/endpoints-reply.ts'
import { modelReply, modelsReply, type Models } from './replies/models-reply.ts'
import { jsonReply, type Reply } from './replies/reply.ts'
import { chatCompletions } from './surfaces/chat-completions.ts'
import { embeddings } from './surfaces/embeddings.ts'
import { countTokensReply, messages } from './surfaces/messages.ts'
import { responses } from './surfaces/responses.ts'
import type { Surface } from './surfaces/surface.ts'

/** The APIs that clients speak: each is served at its path. */
const SURFACES: readonly Surface[] = [chatCompletions, responses, messages, embeddings]

type Call = { event: LambdaFunctionURLEvent; caller: Caller; invocation: Invocation }

/** Who answers a request, and how. */
export type Route = {
  /** No client key is needed. */
  open: boolean
  /** The API whose models are asked for; null where no model is. */
  surface: Surface | null
  reply(call: Call): Reply | Promise<Reply>
}

export type RouteTools = AnswerTools &
  EndpointsTools & {
    chains: Models
    serve(invocation: Invocation, parse: () => Promise<ChatRequest>): Promise<Outcome>
    /** The tokens of a request as an endpoint counts them; null = none does. Never rejects. */
    countTokens(invocation: Invocation, request: ChatRequest): Promise<number | null>
    /** Undefined where there is nothing to record or to pass on. */
    beginTrace: BeginTrace
  }

/** OpenAI routes that people try and that are not served, with what to do instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  '/v1/completions': 'Legacy completions are not served here. Use POST /v1/chat/completions.',
}
const ONE_MODEL = 'GET /v1/models/'

const plain = (reply: Route['reply']): Route => ({ open: false, surface: null, reply })
const HEALTH: Route = { open: true, surface: null, reply: () => jsonReply(200, { status: 'ok' }) }

async function answered({ event, caller, invocation }: Call, surface: Surface, tools: RouteTools) {
  const outcome = await tools.serve(invocation, () => surface.parse(event, caller))
  try {
    return answerReply(outcome, surface, tools)
  } catch (error) {
    // What was answered is let go of, and on record.
    if ('close' in outcome) await outcome.close()
    throw error
  }
}

const surfaceRoute = (surface: Surface, tools: RouteTools): Route => ({
  open: false,
  surface,
  async reply(call) {
    const { event, caller, invocation } = call
    const trace = tools.beginTrace(event.headers, invocation.startedAt, surface)
    if (trace === undefined) return answered(call, surface, tools)
    try {
      return await answered({ ...call, invocation: { ...invocation, trace } }, surface, tools)
    } catch (error) {
      const code = error instanceof GatewayError ? error.code : 'internal_error'
      trace.refused({ requestId: requestIdOf(event), caller: caller.name, code, endedAt: tools.now() })
      throw error
    }
  },
})

/** A path that is not served: refused only once the caller is known. */
const unknownRoute = (route: string, path: string, served: Iterable<string>): Route =>
  plain(() => {
    const names = [...served]
    const versioned = route.replace(' /', ' /v1/')
    const hint = Object.hasOwn(ELSEWHERE, path)
      ? ELSEWHERE[path]
      : names.includes(versioned)
        ? `Let your client's base URL end in /v1: ${versioned}.`
        : `Served: ${[...names, `${ONE_MODEL}{id}`].filter(name => !name.startsWith('HEAD')).join(', ')}.`
    throw new GatewayError('unknown_route', `No route ${route.slice(0, 120)}. ${hint}`)
  })

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The table of routes, and the function that finds in it who answers an event. Never throws. */
export function createRouter(tools: RouteTools): (event: LambdaFunctionURLEvent) => Route {
  const { chains } = tools
  const routes = new Map<string, Route>([
    ...SURFACES.map(surface => [`POST ${surface.path}`, surfaceRoute(surface, tools)] as const),
    ['GET /v1/models', plain(({ event, caller }) => modelsReply(event, caller, chains))],
    [
      `POST ${messages.path}/count_tokens`,
      {
        open: false,
        surface: messages,
        reply: ({ event, caller, invocation }) =>
          countTokensReply(event, caller, request => tools.countTokens(invocation, request)),
      },
    ],
    [
      'GET /v1/endpoints',
      plain(({ event, caller }) => endpointsReply(event.queryStringParameters?.['model'], caller, tools)),
    ],
    ['GET /healthz', HEALTH],
    ['HEAD /healthz', HEALTH],
    // What Claude Code looks at before it begins.
    ['HEAD /', HEALTH],
    ['HEAD /api/hello', HEALTH],
  ])
  return ({ rawPath, requestContext }) => {
    // A base URL that ends in a slash, with a path joined to it.
    const path = rawPath.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
    const route = `${requestContext.http.method} ${path}`
    const known = routes.get(route)
    if (known) return known
    if (!route.startsWith(ONE_MODEL)) return unknownRoute(route, path, routes.keys())
    return plain(({ event, caller }) =>
      modelReply(event, caller, chains, decodeSegment(route.slice(ONE_MODEL.length))),
    )
  }
}
