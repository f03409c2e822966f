import { RESPONSE_HEADERS } from '../../contract.ts'
import { estimatePromptTokens } from '../../core/tokens/estimate-tokens.ts'
import { decodeBody, readBody } from '../decode-body.ts'
import { headerOf } from '../request-headers.ts'
import { jsonReply, jsonTextReply, type Reply } from '../replies/reply.ts'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { answerHead } from './messages/answer-head.ts'
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

/** Anthropic's Messages API. https://docs.anthropic.com/en/api/messages */
export const messages: Surface = {
  path: '/v1/messages',
  requestIdHeader: RESPONSE_HEADERS.anthropicRequestId,
  parse(event, caller) {
    const { text, json: native } = readBody(event)
    validateBody(messagesSchema, native, API)
    const { body, dropped, native: untranslatable } = translateMessages(native)
    const nativeCall = nativeCallOf(event, text, native, untranslatable)
    const betas = headerOf(event, 'anthropic-beta') === undefined ? [] : ['betas']
    return readChatRequest({ event, caller, native, body, dropped: [...dropped, ...betas], nativeCall })
  },
  whole: ({ isNative, text, completion, request, served }) =>
    isNative ? jsonTextReply(text) : jsonReply(200, wholeMessage(completion, answerHead(request, served))),
  open({ isNative, request, served }) {
    if (isNative) return createNativeWriter()
    const writer = createMessageWriter(answerHead(request, served))
    return {
      part: ({ json }) => writer.chunk(json),
      ping: writer.ping,
      cut: (error, attempts) => writer.cut(messagesErrorObject(error, attempts)),
      end: writer.end,
    }
  },
  error: messagesError,
}

/** `POST /v1/messages/count_tokens`, answered by an estimate: agents ask dozens of times at once. */
export function countTokensReply(event: LambdaFunctionURLEvent): Reply {
  const native = decodeBody(event)
  validateBody(countTokensSchema, native, API)
  return jsonReply(200, { input_tokens: estimatePromptTokens(translateMessages(native).body) })
}
