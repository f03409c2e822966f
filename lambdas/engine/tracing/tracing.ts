import type { AliasKind } from '../../core/endpoint.ts'
import type { OtlpSpan } from '../../core/tracing/otlp.ts'
import { refusedSpan, requestSpans, type BegunSpan } from '../../core/tracing/request-spans.ts'
import { isSampled } from '../../core/tracing/sampling.ts'
import {
  readTraceContext,
  SAMPLED,
  traceHeaders,
  type TraceContext,
} from '../../core/tracing/trace-context.ts'
import type { TracingOptions } from '../../core/tracing/tracing-options.ts'
import type { RequestTrace } from './request-trace.ts'

type Headers = Readonly<Record<string, string | undefined>>

/**
 * Begins the trace of a request; undefined where there is nothing to record or to pass on.
 * @param startedAt epoch milliseconds
 * @param api the one that the client speaks
 */
export type BeginTrace = (
  headers: Headers,
  startedAt: number,
  api: { path: string; kind?: AliasKind },
) => RequestTrace | undefined

const contextIn = (headers: Headers): TraceContext | null =>
  readTraceContext(headers['traceparent'], headers['tracestate'])

/**
 * Where no collector is named: what a caller sends is passed on as it came, as whoever takes no part in a trace must.
 * https://www.w3.org/TR/trace-context-2/#mutating-the-traceparent-field
 */
export const passTraceOn: BeginTrace = headers => {
  if (headers['traceparent'] === undefined) return undefined
  const context = contextIn(headers)
  if (!context) return undefined
  const attempt = { spanId: null, headers: traceHeaders(context) }
  return {
    traceId: context.traceId,
    attempt: () => attempt,
    ended: () => undefined,
    refused: () => undefined,
  }
}

/** Where there is no collector, and nothing is passed on either. */
export const noTrace: BeginTrace = () => undefined

export type TraceTools = {
  sampler: TracingOptions['sampler']
  /** False: what clients send is ignored, and upstreams are sent nothing. */
  passesOn: boolean
  /** So many random bytes in hexadecimal digits. */
  randomHex(bytes: number): string
  add(spans: readonly OtlpSpan[]): void
}

const TRACE_BYTES = 16
const SPAN_BYTES = 8

/** Goes on with the traces of callers, and begins one for every other request. */
export function createBeginTrace({ sampler, passesOn, randomHex, add }: TraceTools): BeginTrace {
  return (headers, startedAt, { path: route, kind = 'chat' }) => {
    const parent = passesOn ? contextIn(headers) : null
    const traceId = parent?.traceId ?? randomHex(TRACE_BYTES)
    const sampled = isSampled(sampler, traceId, parent)
    const context: TraceContext = {
      traceId,
      spanId: randomHex(SPAN_BYTES),
      flags: ((parent?.flags ?? 0) & ~SAMPLED) | (sampled ? SAMPLED : 0),
      state: parent?.state ?? null,
    }
    const begun: BegunSpan = { context, parentSpanId: parent?.spanId ?? null, route, kind, startedAt }
    let isOpen = sampled
    function close(spans: () => readonly OtlpSpan[]): void {
      if (!isOpen) return
      isOpen = false
      add(spans())
    }
    return {
      traceId,
      attempt() {
        const spanId = randomHex(SPAN_BYTES)
        return { spanId, headers: passesOn ? traceHeaders({ ...context, spanId }) : {} }
      },
      ended: ended => close(() => requestSpans(begun, ended)),
      refused: refused => close(() => [refusedSpan(begun, refused)]),
    }
  }
}
