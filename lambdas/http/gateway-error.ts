import type { ErrorCode } from '../core/routing/error-codes.ts'

/** Thrown at the edge where a request cannot go on; becomes one error in OpenAI's shape. */
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
