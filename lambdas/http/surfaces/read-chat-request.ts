import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import type { Caller } from '../../core/caller.ts'
import { needsOf } from '../../core/capabilities.ts'
import type { ChatRequest } from '../../core/chat-request.ts'
import type { JsonObject } from '../../core/json.ts'
import { isLongText } from '../../core/long-text.ts'
import type { NativeCall } from '../../core/native-call.ts'
import { estimatePromptTokens } from '../../core/tokens/estimate-tokens.ts'
import { conversationOf } from '../conversation.ts'
import { headerOf, requestIdOf, requestOptionsOf } from '../request-headers.ts'
import { toolRoundOf } from '../tool-round.ts'
import { chatSchema } from './chat-schema.ts'
import { isChatBody } from './is-chat-body.ts'
import { validateBody } from './validate-body.ts'

/** A request as it came: the client's own body, and the same in chat completions JSON. */
export type ClientRequest = {
  event: LambdaFunctionURLEvent
  caller: Caller
  native: JsonObject
  body: JsonObject
  /** What its translation to chat completions JSON leaves out. */
  dropped?: readonly string[]
  nativeCall?: NativeCall | null
}

/**
 * Reads what the gateway must know of a request from its headers and its chat completions body, whichever API the
 * client speaks. Rejects with `GatewayError` that names the field or header at fault.
 */
export async function readChatRequest({
  event,
  caller,
  native,
  body,
  dropped = [],
  nativeCall = null,
}: ClientRequest): Promise<ChatRequest> {
  // Behind the translation of a long body.
  if (isLongText(event.body ?? '')) await nextTurn()
  const options = requestOptionsOf(event)
  const chat = isChatBody(body) ? body : validateBody(chatSchema, body, 'OpenAI chat API')
  return {
    id: requestIdOf(event),
    caller,
    alias: chat.model,
    kind: 'chat',
    body,
    native,
    dropped,
    nativeCall,
    userAgent: headerOf(event, 'user-agent') ?? '',
    receivedAt: event.requestContext.timeEpoch,
    stream: chat.stream ?? false,
    includeUsage: chat.stream_options?.include_usage ?? false,
    ...options,
    needs: needsOf(body),
    promptTokens: estimatePromptTokens(body),
    toolRound: toolRoundOf(event, caller, native, chat),
    conversation: conversationOf(event, caller, native, chat),
  }
}
