import type { ChatRequest } from '../../core/chat-request.ts'
import { GatewayError } from '../../core/routing/gateway-error.ts'
import { attemptList, type AttemptRecord } from '../../core/routing/trail.ts'
import { decodeBody } from '../decode-body.ts'
import { jsonReply } from '../reply.ts'
import { readChatRequest } from './read-chat-request.ts'
import { createAnswerContext, type AnswerContext } from './responses/answer-context.ts'
import { responsesError, responsesStatedWait } from './responses/responses-error.ts'
import { createResponseWriter } from './responses/response-writer.ts'
import { responsesSchema } from './responses/responses-schema.ts'
import { translateRequest } from './responses/translate-request.ts'
import { wholeResponse } from './responses/whole-response.ts'
import type { Surface } from './surface.ts'
import { validateBody } from './validate-body.ts'

function contextOf(request: ChatRequest, { endpoint, startedAfterMs }: AttemptRecord): AnswerContext {
  const { id, native, userAgent, receivedAt } = request
  const seed = `${id} ${receivedAt} ${startedAfterMs} ${endpoint.id}`
  return createAnswerContext({ seed, native, userAgent, model: endpoint.model, createdAt: receivedAt })
}

/** OpenAI's Responses API. https://platform.openai.com/docs/api-reference/responses */
export const responses: Surface = {
  path: '/v1/responses',
  parse(event, caller) {
    const native = decodeBody(event)
    validateBody(responsesSchema, native, 'OpenAI Responses API')
    const { body, dropped, native: untranslatable, state } = translateRequest(native)
    const param = state ?? untranslatable
    if (param !== null) {
      throw new GatewayError('no_capable_endpoint', `No endpoint can serve '${param}'.`, param)
    }
    return readChatRequest({ event, caller, native, body, dropped })
  },
  whole: ({ completion, request, served }) =>
    jsonReply(200, wholeResponse(completion, contextOf(request, served))),
  open({ request, served }) {
    const context = contextOf(request, served)
    const writer = createResponseWriter(context)
    return {
      part: ({ json }) => writer.chunk(json),
      cut: ({ code, message }, attempts) => writer.cut({ code, message, attempts: attemptList(attempts) }),
      end: () => writer.end(),
      cutsConnection: context.ways.swallowsFailures,
    }
  },
  error: responsesError,
  statedWait: responsesStatedWait,
}
