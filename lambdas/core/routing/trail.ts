import type { Failure } from '../failures/failure.ts'
import type { FailureKind } from '../failures/kinds.ts'
import type { Endpoint } from '../endpoint.ts'

/** One call upstream, as it is shown in headers, errors and the log line. */
export type AttemptRecord = {
  endpoint: Endpoint
  tier: number
  /** Fingerprint of the key, or null where none was sent. */
  key: string | null
  /** A departed client is nobody's failure, so it has a name of its own. */
  outcome: 'ok' | 'client_left' | FailureKind
  status: number | null
  /** When the attempt began, in milliseconds since the request did. */
  startedAfterMs: number
  durationMs: number
  failure: Failure | null
}

/** Every attempt of one request, in order. */
export type Trail = readonly AttemptRecord[]
