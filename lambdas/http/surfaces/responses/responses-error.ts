import { ERROR_CODES, type ClientError } from '../../../core/routing/error-codes.ts'
import { attemptList, type Trail } from '../../../core/routing/trail.ts'
import { jsonReply, type Reply } from '../../replies/reply.ts'
import type { Asked } from '../surface.ts'
import { clientWaysOf } from './client-ways.ts'

type Told = { status: number; code: string }

/**
 * Codex repeats any other 5xx thirty times in half a minute, and a refused request until its code says that the
 * request is at fault; a content filter's 400 is shown as raw JSON without this one.
 */
function toldToCodex(code: ClientError['code'], status: number): Told {
  if (status >= 500) return { status: 503, code: 'server_is_overloaded' }
  if (code === 'quota_exhausted' || code === 'client_budget_spent')
    return { status, code: 'insufficient_quota' }
  return status === 400 && code !== 'context_length_exceeded'
    ? { status, code: 'invalid_prompt' }
    : { status, code }
}

/** An error in OpenAI's shape; `reason` is our own code where a client is told another. */
export function responsesError(error: ClientError, attempts: Trail, { userAgent }: Asked): Reply {
  const { code, message, param = null } = error
  const { status, type } = ERROR_CODES[code]
  const told = clientWaysOf(userAgent).isCodex ? toldToCodex(code, status) : { status, code }
  const reason = told.code === code ? {} : { reason: code }
  return jsonReply(told.status, {
    error: { message, type, param, code: told.code, ...reason, attempts: attemptList(attempts) },
  })
}
