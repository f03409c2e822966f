import type { ZodMiniType } from 'zod/mini'
import { RESPONSE_HEADERS } from '../../contract.ts'
import type { Caller } from '../../core/caller.ts'
import type { ChatRequest } from '../../core/chat-request.ts'
import { readBody } from '../decode-body.ts'
import { headerOf } from '../request-headers.ts'
import { jsonReply, jsonTextReply, type Reply } from '../replies/reply.ts'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { answerHead } from './messages/answer-head.ts'
import { anthropicLimitHeaders } from './messages/limit-headers.ts'
import { createMessageWriter } from './messages/message-writer.ts'
import { messagesError, messagesErrorObject } from './messages/messages-error.ts'
import { nativeCallOf } from './messages/native-body.ts'
import { createNativeWriter } from './messages/native-writer.ts'
import { countTokensSchema, messagesSchema } from './messages/messages-schema.ts'
import { translateMessages } from './messages/translate-request.ts'
import { wholeMessage } from './messages/whole-message.ts'
import { readChatRequest } from './read-chat-request.ts'
import type { Surface } from './surface.ts'
import { validateBody } from './validate-body.ts'

const API = 'Anthropic Messages API'

const parseAs =
  (schema: ZodMiniType): Surface['parse'] =>
  async (event, caller) => {
    const { text, json: native } = await readBody(event)
    validateBody(schema, native, API)
    const { body, dropped, native: untranslatable } = translateMessages(native)
    const nativeCall = nativeCallOf(event, text, native, untranslatable)
    const betas = headerOf(event, 'anthropic-beta') === undefined ? [] : ['betas']
    return readChatRequest({ event, caller, native, body, dropped: [...dropped, ...betas], nativeCall })
  }

/** Anthropic's Messages API. https://docs.anthropic.com/en/api/messages */
export const messages: Surface = {
  path: '/v1/messages',
  requestIdHeader: RESPONSE_HEADERS.anthropicRequestId,
  limitHeaders: anthropicLimitHeaders,
  parse: parseAs(messagesSchema),
  whole: ({ isNative, text, completion, request, served }) =>
    isNative
      ? jsonTextReply(text ?? '')
      : jsonReply(200, wholeMessage(completion, answerHead(request, served))),
  open({ isNative, request, served }) {
    if (isNative) return createNativeWriter()
    const writer = createMessageWriter(answerHead(request, served))
    return {
      part: part => (part.piece ? writer.piece(part.piece) : writer.chunk(part.json)),
      ping: writer.ping,
      cut: (error, attempts) => writer.cut(messagesErrorObject(error, attempts)),
      end: writer.end,
    }
  },
  error: messagesError,
}

const parseToCount = parseAs(countTokensSchema)

/**
 * `POST /v1/messages/count_tokens`: an estimate where no endpoint counts.
 * @param count what an endpoint counts; null = none does
 */
export async function countTokensReply(
  event: LambdaFunctionURLEvent,
  caller: Caller,
  count: (request: ChatRequest) => Promise<number | null>,
): Promise<Reply> {
  const request = await parseToCount(event, caller)
  return jsonReply(200, { input_tokens: (await count(request)) ?? request.promptTokens })
}
