import { ERROR_CODES, type ErrorCode } from '../core/routing/error-codes.ts'
import { attemptList } from '../core/routing/fragment-error.ts'
import type { Trail } from '../core/routing/trail.ts'
import { jsonReply, type Reply } from './reply.ts'
import { retryHeaders } from './response-headers.ts'

type Refusal = {
  code: ErrorCode
  message: string
  param?: string | null
  trail?: Trail
  retryAfterMs?: number | null
  headers?: Record<string, string>
}

/** One error in OpenAI's shape, with the attempts that were made. */
export function errorReply(refusal: Refusal): Reply {
  const { code, message, param = null, trail = [], retryAfterMs = null, headers = {} } = refusal
  const { status, type } = ERROR_CODES[code]
  const error = { message, type, param, code, attempts: attemptList(trail) }
  return jsonReply(status, { error }, { ...headers, ...retryHeaders(retryAfterMs) })
}
