import type { JsonObject } from '../../../lambdas/core/json.ts'
import type { Voice } from '../voices.ts'
import { CREATED, PROMPT_TOKENS, TOKENS, wholeAnswer, wordOf } from './words.ts'

const USAGE: JsonObject = {
  input_tokens: PROMPT_TOKENS,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: TOKENS,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: PROMPT_TOKENS + TOKENS,
}
const PLACE: JsonObject = { item_id: 'msg_conduct', output_index: 0, content_index: 0 }

const part = (text: string): JsonObject => ({ type: 'output_text', annotations: [], logprobs: [], text })

function itemOf(status: string, content: readonly JsonObject[]): JsonObject {
  return { id: 'msg_conduct', type: 'message', status, role: 'assistant', content }
}

function responseOf(model: string, fields: JsonObject): JsonObject {
  const head = { id: 'resp_conduct', object: 'response', created_at: CREATED, model }
  return { ...head, error: null, incomplete_details: null, parallel_tool_calls: true, tools: [], ...fields }
}

const begun = (model: string): JsonObject =>
  responseOf(model, { status: 'in_progress', output: [], usage: null })

const completed = (model: string): JsonObject =>
  responseOf(model, {
    status: 'completed',
    output: [itemOf('completed', [part(wholeAnswer(model))])],
    usage: USAGE,
  })

const event = (number: number, type: string, fields: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...fields })}\n\n`

const BEGINNING = 4
const AFTER_TEXT = BEGINNING + TOKENS

/** Its last event says that it is the last: there is no other mark. */
export const responsesVoice: Voice = {
  beginning: model => [
    event(0, 'response.created', { response: begun(model) }),
    event(1, 'response.in_progress', { response: begun(model) }),
    event(2, 'response.output_item.added', { output_index: 0, item: itemOf('in_progress', []) }),
    event(3, 'response.content_part.added', { ...PLACE, part: part('') }),
  ],
  token: (model, position) =>
    event(BEGINNING + position, 'response.output_text.delta', {
      ...PLACE,
      delta: wordOf(model, position),
      logprobs: [],
    }),
  end: model => [
    event(AFTER_TEXT, 'response.output_text.done', { ...PLACE, text: wholeAnswer(model), logprobs: [] }),
    event(AFTER_TEXT + 1, 'response.content_part.done', { ...PLACE, part: part(wholeAnswer(model)) }),
    event(AFTER_TEXT + 2, 'response.output_item.done', {
      output_index: 0,
      item: itemOf('completed', [part(wholeAnswer(model))]),
    }),
    event(AFTER_TEXT + 3, 'response.completed', { response: completed(model) }),
  ],
  whole: completed,
}
