import type { JsonObject } from '../../../lambdas/core/json.ts'
import type { HttpAnswer } from '../../support/upstreams/upstream-answer.ts'

/** The object of an answer as a provider of this API sends it, with fields that the gateway does not know. */
export const nativeResponse = (text: string, more: JsonObject = {}): JsonObject => ({
  id: 'resp_upstream',
  object: 'response',
  created_at: 1_700_000_000,
  status: 'completed',
  model: 'm-2026',
  error: null,
  incomplete_details: null,
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ],
  usage: { input_tokens: 7, output_tokens: 2, total_tokens: 9 },
  brand_new_field: { big: 1 },
  ...more,
})

const event = (type: string, fields: JsonObject, number: number): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...fields })}\n\n`

/** The events of such an answer, one a text; the last is its end. */
export function nativeEvents(texts: readonly string[], more: JsonObject = {}): string[] {
  const response = nativeResponse(texts.join(''), more)
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] }
  const part = { type: 'output_text', text: texts.join(''), annotations: [] }
  const events: [string, JsonObject][] = [
    ['response.created', { response: begun }],
    ['response.in_progress', { response: begun }],
    ['response.output_item.added', { output_index: 0, item }],
    ['response.content_part.added', { ...place, part: { type: 'output_text', text: '', annotations: [] } }],
    ...texts.map((delta): [string, JsonObject] => [
      'response.output_text.delta',
      { ...place, delta, obfuscation: 'x' },
    ]),
    ['response.output_text.done', { ...place, text: texts.join('') }],
    [
      'response.output_item.done',
      { output_index: 0, item: { ...item, status: 'completed', content: [part] } },
    ],
    [`response.${String(response.status)}`, { response }],
  ]
  return events.map(([type, fields], number) => event(type, fields, number))
}

/** A well-behaved stream of this API. */
export const nativeStream = (
  chunks: readonly (string | Uint8Array)[],
  rest: HttpAnswer = {},
): HttpAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  chunks,
  ...rest,
})
