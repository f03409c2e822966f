import type { EndedRequest, RefusedRequest } from '../../core/tracing/request-spans.ts'

/** One call upstream, as a trace knows it. */
export type AttemptTrace = {
  /** Null where nobody records it. */
  spanId: string | null
  /** What tells the upstream where it stands in the trace. */
  headers: Readonly<Record<string, string>>
}

/** One request, as its trace knows it. Nothing of it ever throws, or waits. */
export type RequestTrace = {
  traceId: string
  attempt(): AttemptTrace
  /** Only the first end counts. */
  ended(ended: EndedRequest): void
  refused(refused: RefusedRequest): void
}
