import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../lambdas/core/json.ts'
import { createMessageFold } from '../../lambdas/wires/fold-message.ts'
import { createResponseFold } from '../../lambdas/wires/fold-response.ts'
import { unfoldMessage } from '../../lambdas/wires/unfold-message.ts'
import { unfoldResponse } from '../../lambdas/wires/unfold-response.ts'
import type { NativeFold } from '../../lambdas/wires/native-wire.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1 })
const input = fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(text, fc.integer(), fc.boolean()))
const id = fc.string({ minLength: 1, maxLength: 8 })

const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({
    type: fc.constant('text'),
    text,
    citations: fc.array(fc.record({ cited_text: text }), { minLength: 1 }),
  }),
  fc.record({ type: fc.constant('thinking'), thinking: text, signature: text }),
  fc.record({ type: fc.constant('redacted_thinking'), data: text }),
  fc.record({ type: fc.constantFrom('tool_use', 'server_tool_use'), id, name: id, input }),
  fc.record({ type: fc.constant('web_search_tool_result'), tool_use_id: id, content: fc.array(input) }),
)
const message = fc.record({
  id,
  type: fc.constant('message'),
  content: fc.array(block, { maxLength: 5 }),
  stop_reason: fc.constantFrom('end_turn', 'tool_use', 'max_tokens'),
  stop_sequence: fc.constant(null),
  usage: fc.record({ input_tokens: fc.nat(), output_tokens: fc.nat() }),
})

const part = fc.oneof(
  fc.record({ type: fc.constant('output_text'), text, annotations: fc.constant([]) }),
  fc.record({ type: fc.constant('refusal'), refusal: text }),
)
const item = fc.oneof(
  fc.record({ id, type: fc.constant('message'), status: fc.constant('completed'), content: fc.array(part) }),
  fc.record({
    id,
    type: fc.constant('reasoning'),
    summary: fc.array(fc.record({ type: fc.constant('summary_text'), text })),
  }),
  fc.record({ id, type: fc.constant('function_call'), call_id: id, name: id, arguments: text }),
  fc.record({ id, type: fc.constant('custom_tool_call'), call_id: id, name: id, input: text }),
  fc.record({ id, type: fc.constant('web_search_call'), status: fc.constant('completed') }),
)
const response = fc.record({
  id,
  object: fc.constant('response'),
  status: fc.constantFrom('completed', 'incomplete'),
  output: fc.array(item, { maxLength: 5 }),
  usage: fc.record({ input_tokens: fc.nat(), output_tokens: fc.nat() }),
})

function addUp(events: readonly JsonObject[], fold: NativeFold): unknown {
  for (const event of events) fold.add(event, JSON.stringify(event))
  return JSON.parse(fold.text() ?? 'null')
}

const same = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('the events of a whole answer add up to it again', () => {
  it('in the Messages API', () => {
    fc.assert(
      fc.property(message, whole => {
        expect(addUp(unfoldMessage(whole), createMessageFold())).toEqual(same(whole))
      }),
    )
  })

  it('in the Responses API', () => {
    fc.assert(
      fc.property(response, whole => {
        expect(addUp(unfoldResponse(whole), createResponseFold())).toEqual(same(whole))
      }),
    )
  })
})

describe('events add up', () => {
  it('to the items that came where the last event has none of them', () => {
    const whole = { status: 'completed', output: [{ id: 'msg_1', type: 'message', content: [] }] }
    const events = unfoldResponse(whole).map(event =>
      event.type === 'response.completed' ? { ...event, response: { ...whole, output: [] } } : event,
    )
    expect(addUp(events, createResponseFold())).toEqual(whole)
  })

  it('with deltas of a kind that nobody knows yet', () => {
    const events: JsonObject[] = [
      { type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 3 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'brand_new', note: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'brand_new_delta', note: 'One ' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'brand_new_delta', note: 'two' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
    ]
    expect(addUp(events, createMessageFold())).toEqual({
      id: 'm',
      content: [{ type: 'brand_new', note: 'One two' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 5 },
    })
  })

  it('to nothing where the JSON of an input is broken', () => {
    const events: JsonObject[] = [
      { type: 'message_start', message: {} },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"a' } },
    ]
    expect(addUp(events, createMessageFold())).toBeNull()
  })
})
