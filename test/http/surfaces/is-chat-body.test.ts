import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../lambdas/core/json.ts'
import { chatSchema } from '../../../lambdas/http/surfaces/chat-schema.ts'
import { isChatBody } from '../../../lambdas/http/surfaces/is-chat-body.ts'

const MESSAGES = [{ role: 'user', content: 'Hi' }]
const FIELDS = [...Object.keys(chatSchema.shape), 'future_field']

/** Of every kind, and what is nearly right. */
const value = fc.oneof(
  fc.constantFrom(null, undefined, true, false, 0, 1, -1, 1.5, 2 ** 53, '', 'text'),
  fc.constantFrom({}, { type: 'text' }, { type: 1 }, { include_usage: true }, { include_usage: 'yes' }),
  fc.constantFrom([], ['a', 'b'], ['a', 1], [{}], [{}, null], [[]], [{ type: 'function' }]),
  fc.jsonValue({ maxDepth: 2 }),
)
/** One or two of these fields. */
const fieldsOf = (...names: string[]) =>
  fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 2 }).map(Object.fromEntries)
const message = fieldsOf('role', 'content', 'tool_calls', 'tool_call_id', 'name').map(fields => ({
  role: 'user',
  ...fields,
}))
const body = fc
  .tuple(fc.oneof(fc.constant(MESSAGES), fc.array(message, { maxLength: 3 }), value), fieldsOf(...FIELDS))
  .map(([messages, fields]) => ({ model: 'm', messages, ...fields }) as JsonObject)

test('what is taken for valid without the schema is valid by it, and the same', () => {
  let taken = 0
  fc.assert(
    fc.property(body, made => {
      if (!isChatBody(made)) return
      taken += 1
      const { success, data } = chatSchema.safeParse(made)
      expect(success).toBe(true)
      expect(data).toEqual(made)
    }),
    { numRuns: 3_000 },
  )
  expect(taken).toBeGreaterThan(300)
})

describe('usual bodies need no schema', () => {
  test.each<JsonObject>([
    { messages: MESSAGES },
    { messages: MESSAGES, stream: true, stream_options: { include_usage: true }, temperature: 0, n: 1 },
    { messages: MESSAGES, max_tokens: 5, stop: ['a'], response_format: { type: 'json_object' } },
    {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function' }] },
        { role: 'tool', tool_call_id: 'a', content: '1' },
      ],
      tools: [{ type: 'function', function: { name: 'f' } }],
      future_field: [1],
    },
  ])('%j', fields => {
    expect(isChatBody({ model: 'm', ...fields })).toBe(true)
  })
})

describe('each field that the schema refuses is left to it', () => {
  test.each(Object.keys(chatSchema.shape))('%s', name => {
    const wrong = { model: 'm', messages: MESSAGES, [name]: { not: ['right'] } }
    const isRefused = !chatSchema.safeParse(wrong).success
    expect(isRefused && isChatBody(wrong)).toBe(false)
  })
})
