import type { Failure } from '../failures/failure.ts'
import type { FailureKind } from '../failures/kinds.ts'
import type { Endpoint } from '../endpoint.ts'
import type { JsonObject } from '../json.ts'

/** One call upstream, as it is shown in headers, errors and the log line. */
export type AttemptRecord = {
  endpoint: Endpoint
  tier: number
  /** Fingerprint of the key, or null where none was sent. */
  key: string | null
  /** A client that disconnects is no failure, and neither is a call that one beside it was faster than. */
  outcome: 'ok' | 'client_left' | 'hedged' | FailureKind
  status: number | null
  /** Of the upstream's response; empty where none came. Never logged as they are. */
  headers: Readonly<Record<string, string>>
  /** As its trace knows it; absent or null where nobody records it. */
  spanId?: string | null
  /** When the attempt began, in milliseconds since the request did. */
  startedAfterMs: number
  durationMs: number
  failure: Failure | null
  /** What it cost although it failed; null where no price is known. */
  lostDollars: number | null
}

/** Every attempt of one request, in order. */
export type Trail = readonly AttemptRecord[]

/** The trail of an answer that broke off: the attempt that served it had committed, so its record says that it went well. */
export const trailWithCut = (trail: Trail, served: AttemptRecord, failure: Failure): Trail =>
  trail.map(record => (record === served ? { ...record, outcome: failure.kind, failure } : record))

/** The attempts as an error body lists them. */
export const attemptList = (trail: Trail): readonly JsonObject[] =>
  trail.map(({ endpoint, outcome, status, durationMs }) => ({
    endpoint: endpoint.name,
    kind: outcome,
    status,
    ms: durationMs,
  }))
