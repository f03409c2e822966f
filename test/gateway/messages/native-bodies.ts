import type { JsonObject } from '../../../lambdas/core/json.ts'
import type { HttpAnswer } from '../../support/upstreams/upstream-answer.ts'

const usage = { input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 2, brand_new_field: 1 }

/** An answer as a provider of this API sends it, with a field that the gateway does not know. */
export const nativeMessage = (text: string, more: JsonObject = {}): JsonObject => ({
  id: 'msg_upstream',
  type: 'message',
  role: 'assistant',
  model: 'm-2026',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage,
  ...more,
})

const event = (type: string, fields: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

/** The events of such an answer, with a signed thought before its text; one a text. */
export function messageEvents(texts: readonly string[]): string[] {
  const delta = (index: number, fields: JsonObject): string =>
    event('content_block_delta', { index, delta: fields })
  return [
    event('message_start', { message: { ...nativeMessage(''), content: [], stop_reason: null } }),
    event('content_block_start', {
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    }),
    event('ping', {}),
    delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
    delta(0, { type: 'signature_delta', signature: 'c2lnbmVk' }),
    event('content_block_stop', { index: 0 }),
    event('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
    ...texts.map(text => delta(1, { type: 'text_delta', text })),
    event('content_block_stop', { index: 1 }),
    event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }),
    event('message_stop', {}),
  ]
}

/** A well-behaved stream of this API. */
export const messageStream = (
  chunks: readonly (string | Uint8Array)[],
  rest: HttpAnswer = {},
): HttpAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  chunks,
  ...rest,
})
