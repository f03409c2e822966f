import type { JsonObject } from '../../lambdas/core/json.ts'
import type { HttpAnswer } from '../support/upstreams/upstream-answer.ts'

const USAGE = { input_tokens: 900, output_tokens: 30 }

const event = (type: string, fields: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

/** One block of an answer and the delta that fills it. */
type Block = { start: JsonObject; delta: JsonObject }

export const textBlock = (text: string): Block => ({
  start: { type: 'text', text: '' },
  delta: { type: 'text_delta', text },
})

export const callBlock = (id: string, name: string, input: JsonObject): Block => ({
  start: { type: 'tool_use', id, name, input: {} },
  delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
})

/** The events of an answer as a provider of the Messages API sends them, up to its end. */
export function messageEvents(blocks: readonly Block[], stopReason: string): string[] {
  const message = { id: 'msg_up', type: 'message', role: 'assistant', model: 'm', content: [], usage: USAGE }
  return [
    event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } }),
    ...blocks.flatMap(({ start, delta }, index) => [
      event('content_block_start', { index, content_block: start }),
      event('content_block_delta', { index, delta }),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', { delta: { stop_reason: stopReason, stop_sequence: null }, usage: USAGE }),
    event('message_stop', {}),
  ]
}

export const messageStream = (chunks: readonly string[], rest: HttpAnswer = {}): HttpAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  chunks,
  ...rest,
})
