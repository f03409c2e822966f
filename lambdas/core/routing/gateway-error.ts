import type { ErrorCode } from './error-codes.ts'

/** Thrown where a request cannot get as far as a plan; becomes one error in the shape of the client's API. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: ErrorCode
  /** The field or header at fault. */
  readonly param: string | null

  constructor(code: ErrorCode, message: string, param: string | null = null) {
    super(message)
    this.code = code
    this.param = param
  }
}

/** Where keys have to be fetched, and could not be yet. */
export const keysUnavailable = (): GatewayError =>
  new GatewayError(
    'keys_unavailable',
    "The gateway's keys cannot be read right now. Try again in a few seconds.",
  )
