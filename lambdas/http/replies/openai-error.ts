import type { JsonObject } from '../../core/json.ts'
import { ERROR_CODES, type ClientError } from '../../core/routing/error-codes.ts'
import { attemptList, type Trail } from '../../core/routing/trail.ts'
import { jsonReply, type Reply } from './reply.ts'

/** One error in OpenAI's shape, with the attempts that were made. */
export const openAiError = ({ code, message, param = null }: ClientError, attempts: Trail): JsonObject => ({
  error: { message, type: ERROR_CODES[code].type, param, code, attempts: attemptList(attempts) },
})

/** The same as a reply, with the status of the table. */
export const openAiErrorReply = (error: ClientError, attempts: Trail = []): Reply =>
  jsonReply(ERROR_CODES[error.code].status, openAiError(error, attempts))
