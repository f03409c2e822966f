import type { JsonObject } from '../../../core/json.ts'
import { ERROR_CODES, type ClientError } from '../../../core/routing/error-codes.ts'
import { attemptList, type Trail } from '../../../core/routing/trail.ts'
import { jsonReply, type Reply } from '../../replies/reply.ts'
import type { Asked } from '../surface.ts'

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** Anthropic's status for a service that has nothing to answer with. */
const OVERLOADED = 529

/** The numbers of a prompt that was too long, as far as anybody has named them. */
function overflowOf(attempts: Trail, promptTokens: number): { prompt: number; window: number } | null {
  const windows = attempts.flatMap(({ endpoint, failure }) =>
    failure?.kind === 'context_length' ? [failure.statedWindow ?? endpoint.contextWindow ?? 0] : [],
  )
  const window = Math.max(0, ...windows)
  return window === 0 ? null : { window, prompt: Math.max(promptTokens, window + 1) }
}

/** Agents know by this sentence that they have to compact their history. */
function overflowMessage(
  { message, window = null }: ClientError,
  attempts: Trail,
  promptTokens: number,
): string {
  const told = overflowOf(attempts, promptTokens)
  const limit = told?.window ?? window ?? promptTokens - 1
  const prompt = told?.prompt ?? Math.max(promptTokens, limit + 1)
  return `prompt is too long: ${prompt} tokens > ${limit} maximum. ${message}`
}

/** One error in Anthropic's words, with our own code and the attempts that were made. */
export function messagesErrorObject(error: ClientError, attempts: Trail, promptTokens = 0): JsonObject {
  const { code, message, param = null } = error
  const { status } = ERROR_CODES[code]
  const type = TYPES[status === 503 ? OVERLOADED : status] ?? 'api_error'
  const told = code === 'context_length_exceeded' ? overflowMessage(error, attempts, promptTokens) : message
  return { type, message: told, code, param, attempts: attemptList(attempts) }
}

/** The same as a reply. */
export function messagesError(error: ClientError, attempts: Trail, asked: Asked): Reply {
  const { status } = ERROR_CODES[error.code]
  return jsonReply(status === 503 ? OVERLOADED : status === 415 ? 400 : status, {
    type: 'error',
    error: messagesErrorObject(error, attempts, asked.promptTokens),
    request_id: asked.requestId,
  })
}
