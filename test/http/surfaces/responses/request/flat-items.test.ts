import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../../lambdas/core/json.ts'
import { translateRequest } from '../../../../../lambdas/http/surfaces/responses/request/translate-request.ts'

const translate = (input: JsonObject['input'], fields: JsonObject = {}) =>
  translateRequest({ model: 'house', input, ...fields })

const QUESTION = { role: 'user', content: 'What is in the file?' }
const called = (content: string | null, ...ids: string[]): JsonObject => ({
  role: 'assistant',
  content,
  tool_calls: ids.map(id => ({ id, type: 'function', function: { name: 'read', arguments: '{"n":1}' } })),
})
const result = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: 'Rows' })

describe('a call that stands in a message', () => {
  const part = { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"n":1}' }
  const output = { type: 'function_call_output', call_id: 'call_1', output: 'Rows' }
  const text = { type: 'output_text', text: 'Let me look.' }

  it('is a call all the same, and its result finds it', () => {
    const { body, dropped } = translate([QUESTION, { role: 'assistant', content: [text, part] }, output])
    expect(body.messages).toEqual([QUESTION, called('Let me look.', 'call_1'), result('call_1')])
    expect(dropped).toEqual([])
  })

  it('is one without a text too, and so is a result that stands there', () => {
    const { body } = translate([
      QUESTION,
      { type: 'message', role: 'assistant', content: [part] },
      { role: 'user', content: [output, { type: 'input_text', text: 'Go on.' }] },
    ])
    expect(body.messages).toEqual([
      QUESTION,
      called(null, 'call_1'),
      result('call_1'),
      { role: 'user', content: 'Go on.' },
    ])
  })

  it('leaves a header behind where a part is none of that', () => {
    const picture = { type: 'output_image', image_url: 'data:image/png;base64,AAAA' }
    const refusal = { type: 'refusal', refusal: 'No.' }
    const { body, dropped } = translate([QUESTION, { role: 'assistant', content: [text, picture, refusal] }])
    expect(body.messages).toEqual([QUESTION, { role: 'assistant', content: 'Let me look.', refusal: 'No.' }])
    expect(dropped).toEqual(['input.output_image'])
  })
})

describe('turns as the chat API has them', () => {
  const calls = ['call_1', 'call_2'].map(id => ({
    id,
    type: 'function',
    function: { name: 'read', arguments: '{"n":1}' },
  }))

  it.each([null, 'Let me look.'])('keep their calls and results, beside %j', content => {
    const turns = [
      QUESTION,
      { role: 'assistant', content, tool_calls: calls },
      result('call_2'),
      { ...result('call_1'), content: [{ type: 'text', text: 'Rows' }] },
    ]
    expect(translate(turns).body.messages).toEqual([
      QUESTION,
      called(content, 'call_1', 'call_2'),
      result('call_2'),
      result('call_1'),
    ])
  })

  it('call functions that are declared and chosen in their way', () => {
    const declared = { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: {} } }
    const { body } = translate('Hi', {
      tools: [{ type: 'function', function: declared }],
      tool_choice: { type: 'function', function: { name: 'read' } },
    })
    expect(body).toMatchObject({
      tools: [{ type: 'function', function: declared }],
      tool_choice: { type: 'function', function: { name: 'read' } },
    })
  })
})
