import type { Failure } from '../../../core/failures/failure.ts'

/** Our own reasons for ending a call, beside Node's network codes; `classifyFailure` knows both. */
export type UpstreamErrorCode =
  | 'BACKSTOP_CONNECT_TIMEOUT'
  | 'BACKSTOP_FIRST_OUTPUT_TIMEOUT'
  | 'BACKSTOP_IDLE_TIMEOUT'
  | 'BACKSTOP_TOTAL_TIMEOUT'
  | 'BACKSTOP_TRUNCATED'
  | 'BACKSTOP_EMPTY_COMPLETION'
  | 'BACKSTOP_WINDOW_FULL'
  | 'BACKSTOP_MALFORMED'
  | 'BACKSTOP_ANSWER_TOO_LARGE'
  | 'BACKSTOP_SHUTDOWN'
  | 'BACKSTOP_DEADLINE'
  | 'BACKSTOP_INTERNAL'
  | 'ABORT_ERR'

/** Thrown when we end a call upstream, or when its answer is not one. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly code: UpstreamErrorCode

  constructor(code: UpstreamErrorCode) {
    super(code)
    this.code = code
  }
}

/** Thrown when the upstream said itself why it failed: by status, or in band. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}
