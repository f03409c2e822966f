import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../lambdas/core/json.ts'
import { answerHead } from '../../../lambdas/http/surfaces/messages/answer-head.ts'
import { createMessageWriter } from '../../../lambdas/http/surfaces/messages/message-writer.ts'
import { translateMessages } from '../../../lambdas/http/surfaces/messages/translate-request.ts'
import { translateRequest } from '../../../lambdas/http/surfaces/responses/request/translate-request.ts'
import { attemptRecord, requestFor } from '../../core/build.ts'
import { orderFaults, readEvents } from './messages/read-events.ts'

/** Shapes that other gateways were reported to get wrong; each with the report. */

const user = (content: Json): JsonObject => ({ role: 'user', content })
const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'look', input: {} })
const result = (id: string): JsonObject => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` })
const text = (words: string): JsonObject => ({ type: 'text', text: words })

const messagesOf = (messages: readonly JsonObject[]): Json | undefined =>
  translateMessages({ model: 'm', max_tokens: 10, messages }).body.messages
const fromResponses = (input: readonly JsonObject[]): Json | undefined =>
  translateRequest({ model: 'm', input }).body.messages

const call = (id: string): JsonObject => ({
  type: 'function_call',
  call_id: id,
  name: 'look',
  arguments: '{}',
})
const output = (id: string): JsonObject => ({ type: 'function_call_output', call_id: id, output: `of ${id}` })

describe('a history of the Messages API', () => {
  // https://github.com/diegosouzapw/OmniRoute/pull/4882
  test('with the results of one round in two turns keeps them behind their calls', () => {
    const translated = messagesOf([
      user('Go'),
      { role: 'assistant', content: [use('a'), use('b')] },
      user([result('a'), text('One moment.')]),
      user([result('b')]),
    ])
    expect(translated).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] },
      { role: 'tool', tool_call_id: 'a' },
      { role: 'tool', tool_call_id: 'b' },
      { role: 'user', content: 'One moment.' },
    ])
  })

  // https://github.com/anthropics/claude-code/issues/62396
  test('with an empty text beside a call says nothing with it', () => {
    const [, assistant] = messagesOf([
      user('Go'),
      { role: 'assistant', content: [text(''), use('a')] },
      user([result('a')]),
    ]) as JsonObject[]
    expect(assistant?.content ?? null).toBeNull()
    expect(assistant?.tool_calls).toHaveLength(1)
  })

  // https://github.com/envoyproxy/ai-gateway/issues/2208
  test('with an assistant turn that says nothing leaves it out', () => {
    const roles = (
      messagesOf([user('Go'), { role: 'assistant', content: [] }, user('On')]) as JsonObject[]
    ).map(({ role }) => role)
    expect(roles).not.toContain('assistant')
  })
})

describe('a history of the Responses API', () => {
  // https://github.com/BerriAI/litellm/issues/13420
  test('with an empty thought and arguments as an object has a call with text', () => {
    const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null, content: null }
    const asked = { ...call('a'), arguments: { q: 'x' } }
    expect(fromResponses([user('Go'), thought, asked, output('a')])).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'a', function: { arguments: '{"q":"x"}' } }] },
      { role: 'tool', tool_call_id: 'a' },
    ])
  })

  // https://github.com/router-for-me/CLIProxyAPI/pull/2141, https://github.com/BerriAI/litellm/issues/31553
  test('with empty messages around a call has no empty message', () => {
    const empty = { type: 'message', role: 'assistant', content: [] }
    const translated = fromResponses([user('Go'), empty, call('a'), empty, output('a')])
    expect(translated).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'a' }] },
      { role: 'tool', tool_call_id: 'a' },
    ])
  })

  // https://github.com/diegosouzapw/OmniRoute/pull/4882, seen from the other API
  test('with words between the results of one round keeps the results together', () => {
    const translated = fromResponses([
      user('Go'),
      call('a'),
      call('b'),
      output('a'),
      user('Well?'),
      output('b'),
    ])
    expect((translated as JsonObject[]).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ])
  })
})

describe('an answer in the events of the Messages API', () => {
  const delta = (fields: JsonObject, finish: string | null = null): JsonObject => ({
    choices: [{ index: 0, delta: fields, finish_reason: finish }],
  })
  const callDelta = (index: number, id: string): JsonObject =>
    delta({ tool_calls: [{ index, id, function: { name: 'look', arguments: '{}' } }] })

  function eventsOf(chunks: readonly JsonObject[]): ReturnType<typeof readEvents> {
    const writer = createMessageWriter(answerHead(requestFor({}), attemptRecord('a/m', null)))
    return readEvents(chunks.map(chunk => writer.chunk(chunk)).join('') + writer.end())
  }

  // https://github.com/sgl-project/sglang/pull/24294, https://github.com/QuantumNous/new-api/issues/5482
  test('with a line break between two calls has a block for each', () => {
    const events = eventsOf([
      callDelta(0, 'a'),
      delta({ content: '\n' }),
      callDelta(1, 'b'),
      delta({}, 'tool_calls'),
    ])
    expect(orderFaults(events)).toEqual([])
    const begun = events.flatMap(({ content_block: block }) => (block ? [(block as JsonObject).type] : []))
    expect(begun).toEqual(['tool_use', 'text', 'tool_use'])
  })

  // https://github.com/BerriAI/litellm/issues/34692
  test('with empty texts before a call has no block for them, and ends in a call', () => {
    const events = eventsOf([
      delta({ role: 'assistant', content: '' }),
      delta({ content: '' }),
      callDelta(0, 'a'),
      delta({ content: '' }, 'stop'),
    ])
    const begun = events.flatMap(({ content_block: block }) => (block ? [(block as JsonObject).type] : []))
    expect(begun).toEqual(['tool_use'])
    expect(JSON.stringify(events)).toContain('"stop_reason":"tool_use"')
  })
})
