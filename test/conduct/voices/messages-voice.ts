import type { JsonObject } from '../../../lambdas/core/json.ts'
import type { Voice } from '../voices.ts'
import { PROMPT_TOKENS, TOKENS, wholeAnswer, wordOf } from './words.ts'

const messageOf = (model: string, fields: JsonObject): JsonObject => ({
  id: 'msg_conduct',
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: PROMPT_TOKENS, output_tokens: 1 },
  ...fields,
})

const event = (type: string, fields: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

export const messagesVoice: Voice = {
  beginning: model => [
    event('message_start', { message: messageOf(model, {}) }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('ping', {}),
  ],
  token: (model, position) =>
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: wordOf(model, position) } }),
  end: (_, { mark }) => [
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: TOKENS },
    }),
    ...(mark ? [event('message_stop', {})] : []),
  ],
  whole: model =>
    messageOf(model, {
      content: [{ type: 'text', text: wholeAnswer(model) }],
      stop_reason: 'end_turn',
      usage: { input_tokens: PROMPT_TOKENS, output_tokens: TOKENS },
    }),
}
