import type { ChatRequest } from '../../core/chat-request.ts'
import { editJsonText } from '../../core/edit-json-text.ts'
import type { JsonObject } from '../../core/json.ts'
import { GatewayError } from '../../core/routing/gateway-error.ts'
import { attemptList, type AttemptRecord } from '../../core/routing/trail.ts'
import { readBody } from '../decode-body.ts'
import { jsonReply, jsonTextReply } from '../replies/reply.ts'
import { readChatRequest } from './read-chat-request.ts'
import { createAnswerContext, type AnswerContext } from './responses/answer-context.ts'
import { clientWaysOf } from './responses/client-ways.ts'
import { nativeCallOf } from './responses/native-body.ts'
import { createNativeWriter } from './responses/native-writer.ts'
import { responsesError } from './responses/responses-error.ts'
import { createResponseWriter } from './responses/events/response-writer.ts'
import { responsesSchema } from './responses/request/responses-schema.ts'
import { translateRequest } from './responses/request/translate-request.ts'
import { wholeResponse } from './responses/whole-response.ts'
import type { Surface } from './surface.ts'
import { validateBody } from './validate-body.ts'

function contextOf(request: ChatRequest, { endpoint, startedAfterMs }: AttemptRecord): AnswerContext {
  const { id, native, userAgent, receivedAt, promptTokens } = request
  const seed = `${id} ${receivedAt} ${startedAfterMs} ${endpoint.id}`
  const { model } = endpoint
  return createAnswerContext({ seed, native, userAgent, model, createdAt: receivedAt, promptTokens })
}

/** `-1` stands for no limit, where some clients want one to be named. */
function withoutLimit(body: { text: string; json: JsonObject }): typeof body {
  const { max_output_tokens: most, ...json } = body.json
  if (most !== -1) return body
  return { json, text: editJsonText(body.text, new Map([['max_output_tokens', null]])) }
}

/** OpenAI's Responses API. https://platform.openai.com/docs/api-reference/responses */
export const responses: Surface = {
  path: '/v1/responses',
  async parse(event, caller) {
    const { text, json: native } = withoutLimit(await readBody(event))
    validateBody(responsesSchema, native, 'OpenAI Responses API')
    const translated = translateRequest(native)
    // What is asked may stand where only the endpoint that holds the state can read it.
    if (native.input == null && translated.state === null) {
      throw new GatewayError('invalid_request', "'input' is missing. See the OpenAI Responses API.", 'input')
    }
    const { body, dropped } = translated
    const nativeCall = nativeCallOf(text, native, translated)
    return readChatRequest({ event, caller, native, body, dropped, nativeCall })
  },
  whole: ({ isNative, text, completion, request, served }) =>
    isNative
      ? jsonTextReply(text ?? '')
      : jsonReply(200, wholeResponse(completion, contextOf(request, served))),
  open({ isNative, request, served }) {
    if (isNative) return createNativeWriter(clientWaysOf(request.userAgent).swallowsFailures)
    const context = contextOf(request, served)
    const writer = createResponseWriter(context)
    return {
      part: part => (part.piece ? writer.piece(part.piece) : writer.chunk(part.json)),
      cut: ({ code, message }, attempts) => writer.cut({ code, message, attempts: attemptList(attempts) }),
      ping: () => writer.ping(),
      end: () => writer.end(),
      cutsConnection: context.ways.swallowsFailures,
    }
  },
  error: responsesError,
}
