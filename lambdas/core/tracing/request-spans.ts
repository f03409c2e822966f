import type { AliasKind, Endpoint } from '../endpoint.ts'
import type { RequestCompleted } from '../request-completed.ts'
import { ERROR_CODES, type ErrorCode } from '../routing/error-codes.ts'
import {
  nanoseconds,
  otlpAttributes,
  PARENT_KNOWN,
  PARENT_REMOTE,
  SPAN_KIND,
  STATUS_ERROR,
  type Attributes,
  type OtlpSpan,
} from './otlp.ts'
import { providerName } from './provider-name.ts'
import type { TraceContext } from './trace-context.ts'

/** The span of one request, before it is known how it ends. */
export type BegunSpan = {
  /** Its own, as its attempts are told it. */
  context: TraceContext
  /** Of the caller's span; null where the trace begins here. */
  parentSpanId: string | null
  /** The path of the API that the client speaks. */
  route: string
  kind: AliasKind
  /** Epoch milliseconds. */
  startedAt: number
}

/** How a request has ended that had a plan. */
export type EndedRequest = {
  line: RequestCompleted
  /** As in the line, and in its order. */
  attempts: readonly { spanId: string | null; endpoint: Endpoint }[]
  /** Which of them answered, and when it gave its first output, after the request began. */
  served: { at: number; firstOutputMs: number } | null
}

/** A request that was refused before it had a plan. */
export type RefusedRequest = { requestId: string; caller: string; code: ErrorCode; endedAt: number }

/** What is no failure, although it is no answer. */
const NO_ERRORS: ReadonlySet<string> = new Set(['ok', 'client_left', 'hedged'])
/** Below it, an error is the request's own fault, for which a server's span is none. */
const FIRST_OWN_STATUS = 429

const operationOf = (kind: AliasKind): string => (kind === 'embeddings' ? 'embeddings' : 'chat')

function spanOf(
  { context: { traceId, flags, state } }: BegunSpan,
  span: Omit<OtlpSpan, 'traceId' | 'traceState' | 'attributes' | 'events'> & { attributes: Attributes },
  events: OtlpSpan['events'] = [],
): OtlpSpan {
  return {
    ...span,
    traceId,
    ...(state === null ? {} : { traceState: state }),
    flags: span.flags | flags | PARENT_KNOWN,
    attributes: otlpAttributes(span.attributes),
    events,
  }
}

type ServerSpan = { name: string; endedAt: number; isError: boolean; attributes: Attributes }

/** A server's span: it is the gateway that was called, and the attempts are the calls that it made. */
function serverSpan(begun: BegunSpan, { name, endedAt, isError, attributes }: ServerSpan): OtlpSpan {
  const { context, parentSpanId, route, startedAt } = begun
  return spanOf(begun, {
    spanId: context.spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    flags: parentSpanId === null ? 0 : PARENT_REMOTE,
    name,
    kind: SPAN_KIND.server,
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: { 'http.request.method': 'POST', 'http.route': route, 'url.path': route, ...attributes },
    status: isError ? { code: STATUS_ERROR } : {},
  })
}

/** Where an endpoint is called. */
function serverOf({ baseUrl }: Endpoint): Attributes {
  const { hostname, port, protocol } = new URL(baseUrl)
  return { 'server.address': hostname, 'server.port': Number(port || (protocol === 'https:' ? 443 : 80)) }
}

/**
 * One call upstream. It bears no `gen_ai.*` attribute: tools that add up tokens and dollars by them would count a
 * request once more with each of its attempts.
 */
function attemptSpan(begun: BegunSpan, { line, attempts, served }: EndedRequest, at: number): OtlpSpan[] {
  const told = line.attempts[at]
  const attempt = attempts[at]
  if (!told || !attempt?.spanId) return []
  const { startedAfterMs, durationMs, outcome, status, message } = told
  const isServed = served?.at === at
  const startedAt = begun.startedAt + startedAfterMs
  const isError = !NO_ERRORS.has(outcome)
  const span = {
    spanId: attempt.spanId,
    parentSpanId: begun.context.spanId,
    flags: 0,
    name: `attempt ${told.endpoint}`,
    kind: SPAN_KIND.client,
    startTimeUnixNano: nanoseconds(startedAt),
    // The call of a stream goes on behind its first output.
    endTimeUnixNano: nanoseconds(isServed ? begun.startedAt + line.durationMs : startedAt + durationMs),
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': status,
      ...serverOf(attempt.endpoint),
      'error.type': isError ? outcome : null,
      'backstop.endpoint': told.endpoint,
      'backstop.provider': told.provider,
      'backstop.outcome': outcome,
      'backstop.tier': told.tier,
      'backstop.attempt': at + 1,
    },
    status: isError ? { code: STATUS_ERROR, ...(message === null ? {} : { message }) } : {},
  }
  const event = { name: 'backstop.first_output', attributes: [] }
  return [
    spanOf(
      begun,
      span,
      isServed ? [{ ...event, timeUnixNano: nanoseconds(begun.startedAt + served.firstOutputMs) }] : [],
    ),
  ]
}

/** What the client was told: a stream that was cut had begun well. */
const statusSent = ({ outcome, status }: RequestCompleted): number | null =>
  outcome === 'cut' ? 200 : outcome === 'client-left' && status !== 200 ? null : status

/**
 * The span of a request, by the GenAI conventions, and one a call that was made for it.
 * https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/client-inference.md
 */
export function requestSpans(begun: BegunSpan, ended: EndedRequest): OtlpSpan[] {
  const { line, attempts, served } = ended
  const operation = operationOf(begun.kind)
  const answering = served && attempts[served.at]?.endpoint
  const called = answering ?? attempts.at(-1)?.endpoint
  const { usage, dollars, outcome, code } = line
  const isError = outcome === 'cut' || (outcome === 'failed' && line.status >= FIRST_OWN_STATUS)
  const tier = served ? line.attempts[served.at]?.tier : undefined
  const request = serverSpan(begun, {
    name: `${operation} ${line.alias}`,
    endedAt: begun.startedAt + line.durationMs,
    isError,
    attributes: {
      'http.response.status_code': statusSent(line),
      'error.type': outcome === 'cut' || outcome === 'failed' ? code : null,
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': called ? providerName(called) : 'backstop',
      'gen_ai.request.model': line.alias,
      'gen_ai.request.stream': line.stream || null,
      'gen_ai.response.model': answering?.model,
      'gen_ai.response.finish_reasons': line.finishReason === null ? null : [line.finishReason],
      'gen_ai.response.time_to_first_chunk':
        line.stream && served ? { fraction: served.firstOutputMs / 1_000 } : null,
      'gen_ai.usage.input_tokens': usage?.promptTokens,
      'gen_ai.usage.output_tokens': usage?.completionTokens,
      'gen_ai.usage.cache_read.input_tokens': usage?.cachedTokens,
      // No convention yet, and what tools read.
      'gen_ai.usage.cost': dollars === null ? null : { fraction: dollars },
      'backstop.request_id': line.requestId,
      'backstop.caller': line.caller,
      'backstop.alias': line.alias,
      'backstop.outcome': outcome,
      'backstop.served_by': line.servedBy,
      'backstop.tier': tier,
      'backstop.attempts': line.attempts.length,
      'backstop.chain': line.attempts.map(({ endpoint, outcome: how, status, durationMs }) =>
        [endpoint, how, status ?? '', durationMs].join(';'),
      ),
      'backstop.skipped': line.plan.skipped.map(({ endpoint, reason }) => `${endpoint};${reason}`),
      'backstop.cost': dollars === null ? null : { fraction: dollars },
      'backstop.lost_cost': line.lostDollars === null ? null : { fraction: line.lostDollars },
      'backstop.overhead_ms': line.overheadMs,
    },
  })
  return [request, ...attempts.flatMap((_, at) => attemptSpan(begun, ended, at))]
}

/** The span of a request that led to no plan, such as one for a model that does not exist. */
export function refusedSpan(
  begun: BegunSpan,
  { requestId, caller, code, endedAt }: RefusedRequest,
): OtlpSpan {
  const { status } = ERROR_CODES[code]
  const operation = operationOf(begun.kind)
  return serverSpan(begun, {
    name: operation,
    endedAt,
    // A client's own limits are no fault of the gateway either.
    isError: status >= 500,
    attributes: {
      'http.response.status_code': status,
      'error.type': code,
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': 'backstop',
      'backstop.request_id': requestId,
      'backstop.caller': caller,
      'backstop.outcome': 'refused',
      'backstop.attempts': 0,
    },
  })
}
