import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream'
import type { Message } from '@anthropic-ai/sdk/resources/messages'
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createFold } from '../../../../lambdas/core/answers/fold/fold-chunks.ts'
import type { JsonObject } from '../../../../lambdas/core/json.ts'
import { answerHead } from '../../../../lambdas/http/surfaces/messages/answer-head.ts'
import { createMessageWriter } from '../../../../lambdas/http/surfaces/messages/message-writer.ts'
import { wholeMessage } from '../../../../lambdas/http/surfaces/messages/whole-message.ts'
import { attemptRecord, requestFor } from '../../../core/build.ts'
import { arbitraryAnswer, type GeneratedAnswer } from '../../../support/arbitrary-answer.ts'
import { orderFaults, readEvents } from './read-events.ts'

const headFor = (native: JsonObject = {}) =>
  answerHead(
    requestFor({ native: { thinking: { type: 'enabled', budget_tokens: 2_000 }, ...native } }),
    attemptRecord('a/m', null),
  )

function play(chunks: readonly JsonObject[], head = headFor()) {
  const writer = createMessageWriter(head)
  return readEvents(chunks.map(chunk => writer.chunk(chunk)).join('') + writer.end())
}

const delta = (fields: JsonObject, finish: string | null = null): JsonObject => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
})
const callDelta = (index: number, fields: JsonObject): JsonObject =>
  delta({ tool_calls: [{ index, ...fields }] })

/** The judge is the official client's own accumulator. */
function accumulate(events: readonly JsonObject[]): Promise<Message> {
  const lines = events.map(event => `${JSON.stringify(event)}\n`).join('')
  return MessageStream.fromReadableStream(new Blob([lines]).stream()).finalMessage()
}

/** What an answer of this API says, in the words of the generated one. */
function said({ content, usage, stop_reason: ended }: Message) {
  return {
    reasoning: content.map(block => (block.type === 'thinking' ? block.thinking : '')).join(''),
    text: content.map(block => (block.type === 'text' ? block.text : '')).join(''),
    calls: content.flatMap(block =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
    ),
    usage: { prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens },
    ended,
  }
}

const ENDS = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens', content_filter: 'refusal' }

const expected = ({ reasoning, text, calls, finish }: GeneratedAnswer) => ({
  reasoning,
  text,
  calls: calls.map(({ id, name, arguments: args }) => ({ id, name, input: JSON.parse(args) as unknown })),
  ended: ENDS[finish],
})

describe('the events of an answer', () => {
  it('say what the model said, in the order that the API promises', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryAnswer, async answer => {
        const events = play(answer.chunks)
        expect(orderFaults(events)).toEqual([])
        const { usage, ...parts } = said(await accumulate(events))
        expect(parts).toEqual(expected(answer))
        if (answer.usage.prompt_tokens > 0 && answer.usage.completion_tokens > 0) {
          expect(usage).toEqual(answer.usage)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('end as the same answer does when it is not streamed', () => {
    fc.assert(
      fc.property(arbitraryAnswer, answer => {
        const fold = createFold()
        for (const chunk of answer.chunks) fold.add(chunk)
        // As a client reads it: numbers past 2^53 are text until they are written.
        const text = JSON.stringify(wholeMessage(fold.completion(), headFor()))
        const whole = JSON.parse(text) as Message
        const { usage: _, ...parts } = said(whole)
        expect(parts).toEqual(expected(answer))
        const ending = play(answer.chunks).at(-2)
        expect(ending?.delta).toEqual({
          stop_reason: whole.stop_reason,
          stop_sequence: whole.stop_sequence,
        })
      }),
      { numRuns: 200 },
    )
  })

  it('hold the deltas of a later call until the earlier one has ended', () => {
    const events = play([
      callDelta(0, { id: 'a', function: { name: 'read', arguments: '{"x"' } }),
      callDelta(1, { id: 'b', function: { name: 'read', arguments: '{"y"' } }),
      callDelta(0, { function: { arguments: ':1}' } }),
      callDelta(1, { function: { arguments: ':2}' } }),
      delta({}, 'tool_calls'),
    ])
    expect(orderFaults(events)).toEqual([])
    const deltas = events.filter(({ type }) => type === 'content_block_delta')
    expect(deltas.map(({ index, delta: part }) => [index, part])).toEqual([
      [0, { type: 'input_json_delta', partial_json: '{"x"' }],
      [0, { type: 'input_json_delta', partial_json: ':1}' }],
      [1, { type: 'input_json_delta', partial_json: '{"y":2}' }],
    ])
  })

  it('give text, thoughts and calls blocks of their own, in the order in which they came', async () => {
    const events = play([
      delta({ reasoning_content: 'Hm.' }),
      delta({ content: 'First' }),
      callDelta(0, { id: 'a', function: { name: 'read', arguments: '{}' } }),
      delta({ content: 'then' }),
      delta({ reasoning: 'Well.' }),
      delta({ refusal: 'No.' }, 'tool_calls'),
    ])
    expect(orderFaults(events)).toEqual([])
    const { content } = await accumulate(events)
    expect(content.map(({ type }) => type)).toEqual([
      'thinking',
      'text',
      'tool_use',
      'text',
      'thinking',
      'text',
    ])
  })

  it('forward what comes with the chunk that begins a call', async () => {
    const call = { id: 'a', function: { name: 'read', arguments: '{"path":"x"}' } }
    const { content } = await accumulate(play([callDelta(0, call), delta({}, 'tool_calls')]))
    expect(content).toMatchObject([{ type: 'tool_use', id: 'a', name: 'read', input: { path: 'x' } }])
  })

  it('end with tool_use where the model called, although its host says stop', async () => {
    const events = play([
      delta({ content: 'I will look.' }),
      callDelta(0, { id: 'a', function: { name: 'read', arguments: '{}' } }),
      delta({}, 'stop'),
    ])
    expect((await accumulate(events)).stop_reason).toBe('tool_use')
  })

  it('estimate what no host has counted, because agents compact their history by it', async () => {
    const head = answerHead(requestFor({ promptTokens: 1_234 }), attemptRecord('a/m', null))
    const events = play([delta({ content: 'Some words of an answer.' }, 'stop')], head)
    expect(events[0]).toMatchObject({ message: { usage: { input_tokens: 1_234, output_tokens: 1 } } })
    const { usage } = await accumulate(events)
    expect(usage.input_tokens).toBe(1_234)
    expect(usage.output_tokens).toBeGreaterThan(3)
  })

  it('count what came from a cache apart from the input', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 5 },
    }
    const events = play([delta({ content: 'Hi' }, 'stop'), { choices: [], usage }])
    expect(events.at(-2)?.usage).toEqual({
      input_tokens: 30,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 10,
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 5 },
    })
  })

  test.each([
    ['nobody asked for them', {}],
    ['the client wants them left out', { type: 'adaptive', display: 'omitted' }],
    ['they are switched off', { type: 'disabled' }],
  ])('leave thoughts out where %s', (_, thinking) => {
    const head = headFor({ thinking: 'type' in thinking ? thinking : undefined })
    const events = play([delta({ reasoning_content: 'Hm.' }), delta({ content: 'Yes.' }, 'stop')], head)
    expect(JSON.stringify(events)).not.toContain('Hm.')
    expect(orderFaults(events)).toEqual([])
  })

  test.each([
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['SAFETY', 'refusal'],
    ['network_lost', 'network_lost'],
  ])('end after %s with %s', (finish, reason) => {
    expect(play([delta({ content: 'Hi' }, finish)]).at(-2)).toMatchObject({
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: null },
    })
  })

  it('name the sequence at which the model stopped, where the host does', () => {
    const choice = { index: 0, delta: { content: 'Hi' }, finish_reason: 'stop', stop_reason: 'END' }
    const events = play([{ choices: [choice] }], headFor({ stop_sequences: ['END'] }))
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'stop_sequence', stop_sequence: 'END' } })
  })

  it('end with an error, and nothing after it, where the answer broke off', () => {
    const writer = createMessageWriter(headFor())
    const text =
      writer.chunk(delta({ content: 'Half' })) + writer.cut({ type: 'api_error', message: 'Lost.' })
    const events = readEvents(text)
    expect(events.at(-1)).toEqual({ type: 'error', error: { type: 'api_error', message: 'Lost.' } })
    expect(events.map(({ type }) => type)).not.toContain('message_stop')
    expect(events.map(({ type }) => type)).not.toContain('message_delta')
  })
})

describe('a whole answer', () => {
  const whole = (message: JsonObject, finish = 'stop') =>
    wholeMessage({ choices: [{ index: 0, message, finish_reason: finish }] }, headFor())

  it('shows arguments that are no object as the text that they are, so that no tool runs by them', () => {
    const call = (args: string) => ({
      id: 'a',
      type: 'function',
      function: { name: 'read', arguments: args },
    })
    const { content } = whole({
      tool_calls: [call('{"x":'), call('[1]'), call(''), call('{"n":12345678901234567890}')],
    })
    expect(JSON.stringify(content)).toBe(
      '[{"type":"tool_use","id":"a","name":"read","input":{"INVALID_JSON":"{\\"x\\":"}},' +
        '{"type":"tool_use","id":"a","name":"read","input":{"INVALID_JSON":"[1]"}},' +
        '{"type":"tool_use","id":"a","name":"read","input":{}},' +
        '{"type":"tool_use","id":"a","name":"read","input":{"n":12345678901234567890}}]',
    )
  })
})
