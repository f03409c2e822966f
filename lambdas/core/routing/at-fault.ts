import type { ChatRequest } from '../chat-request.ts'
import type { Failure } from '../failures/failure.ts'
import type { AtFault } from '../request-completed.ts'
import { ERROR_CODES, type ErrorCode } from './error-codes.ts'

type Ended = {
  /** Null where the request was answered. */
  code: ErrorCode | null
  /** What cut the answer off. */
  cut: Failure | null
  request: Pick<ChatRequest, 'fallback' | 'retryTokenBudget'>
  /** The client named the endpoint itself, so that no other could be called. */
  isDirect: boolean
}

/** What the model or its host refused to write is the content's doing. */
const isOfContent = ({ kind, scope }: Failure): boolean => kind === 'content_filter' || scope === 'request'

/**
 * Whose doing it is that a request ended in an error; null where it did not. Pure.
 *
 * | what happened                                                       | at fault |
 * |---------------------------------------------------------------------|----------|
 * | the gateway itself broke                                            | gateway  |
 * | a code that speaks of the request, the client, or its limits        | client   |
 * | the client wanted no other endpoint, or named the only one          | client   |
 * | retries would have cost more than the client's own budget           | client   |
 * | an answer was cut because of what stood in it                       | client   |
 * | anything else                                                       | gateway  |
 */
export function atFaultOf({ code, cut, request, isDirect }: Ended): AtFault | null {
  if (code === null) return null
  if (code === 'internal_error' || code === 'gateway_stopped') return 'gateway'
  if (cut && isOfContent(cut)) return 'client'
  // What was cut had begun: another endpoint would not have been called either way.
  if (cut === null && (!request.fallback || isDirect)) return 'client'
  if (code === 'retry_budget_exhausted' && request.retryTokenBudget !== null) return 'client'
  return ERROR_CODES[code].atFault
}
