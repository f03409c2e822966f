import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../lambdas/core/json.ts'
import { translateMessages } from '../../../../lambdas/http/surfaces/messages/translate-request.ts'
import { translateRequest } from '../../../../lambdas/http/surfaces/responses/request/translate-request.ts'
import { resultBlocks } from '../../../../lambdas/http/surfaces/translation/result-blocks.ts'

const CASES: readonly (readonly [content: Json, shown: string])[] = [
  [{ rows: [1, 2] }, '{"rows":[1,2]}'],
  [{ type: 'table', rows: 3 }, '{"type":"table","rows":3}'],
  [{ type: 'text', text: 'Rows' }, 'Rows'],
  [42, '42'],
  [false, 'false'],
  [['one', 'two'], 'one\ntwo'],
  [[{ id: 7 }, { type: 'text', text: 'Rows' }], '{"id":7}\nRows'],
]

describe('what a tool gave back, although it is no text,', () => {
  it.each(CASES)('is shown to the model in a message: %j', (content, shown) => {
    const { body, native } = translateMessages({
      model: 'house',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'Hello?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content }] },
      ],
    })
    expect(body.messages).toMatchObject([{}, {}, { role: 'tool', tool_call_id: 't1', content: shown }])
    expect(native).toBeNull()
  })

  it.each(CASES)('is shown to the model in a response: %j', (output, shown) => {
    const { body, native } = translateRequest({
      model: 'house',
      input: [
        { role: 'user', content: 'Hello?' },
        { type: 'function_call', call_id: 'c1', name: 'read', arguments: '' },
        { type: 'function_call_output', call_id: 'c1', output },
      ],
    })
    expect(body.messages).toMatchObject([
      {},
      { tool_calls: [{ id: 'c1', function: { name: 'read', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: shown },
    ])
    expect(native).toBeNull()
  })

  it.each([undefined, null, []])('is nothing where there is nothing: %j', content => {
    expect(resultBlocks(content)).toEqual([])
  })
})
