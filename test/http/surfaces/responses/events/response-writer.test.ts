import * as fc from 'fast-check'
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator'
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { describe, expect, it, test } from 'vitest'
import { createFold } from '../../../../../lambdas/core/answers/fold/fold-chunks.ts'
import type { JsonObject } from '../../../../../lambdas/core/json.ts'
import { createAnswerContext } from '../../../../../lambdas/http/surfaces/responses/answer-context.ts'
import { readItemId } from '../../../../../lambdas/http/surfaces/responses/item-id.ts'
import { createResponseWriter } from '../../../../../lambdas/http/surfaces/responses/events/response-writer.ts'
import { wholeResponse } from '../../../../../lambdas/http/surfaces/responses/whole-response.ts'
import { arbitraryAnswer, type GeneratedAnswer } from '../../../../support/arbitrary-answer.ts'
import { orderFaults, readEvents } from '../read-events.ts'

const TOOLS = [
  { type: 'function', name: 'read_file', parameters: {} },
  { type: 'custom', name: 'shell' },
  { type: 'namespace', name: 'plan', tools: [{ type: 'function', name: 'update' }] },
]

const PROMPT_TOKENS = 900

const contextFor = (native: JsonObject = {}, userAgent = 'OpenAI/JS') =>
  createAnswerContext({
    seed: 'one',
    native: { model: 'house', tools: TOOLS, store: false, ...native },
    userAgent,
    model: 'm',
    createdAt: 1_700_000_000_000,
    promptTokens: PROMPT_TOKENS,
  })

function play(chunks: readonly JsonObject[], context = contextFor()) {
  const writer = createResponseWriter(context)
  const text = chunks.map(chunk => writer.chunk(chunk)).join('') + writer.end()
  return readEvents(text)
}

const delta = (fields: JsonObject, finish: string | null = null): JsonObject => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
})
const callDelta = (index: number, fields: JsonObject): JsonObject =>
  delta({ tool_calls: [{ index, ...fields }] })

function accumulate(events: readonly JsonObject[]): Response {
  let snapshot: Response | undefined
  // The judge is the official client's own accumulator.
  for (const event of events) snapshot = accumulateResponse(event as unknown as ResponseStreamEvent, snapshot)
  if (!snapshot) throw new Error('no events')
  return snapshot
}

/** What an answer of this API says, in the words of the generated one. */
function said({ output, usage, status, incomplete_details: details }: Response) {
  const joined = (texts: readonly string[]): string => texts.join('')
  return {
    reasoning: joined(
      output.flatMap(item => (item.type === 'reasoning' ? item.summary.map(({ text }) => text) : [])),
    ),
    text: joined(
      output.flatMap(item =>
        item.type === 'message'
          ? item.content.map(part => (part.type === 'output_text' ? part.text : ''))
          : [],
      ),
    ),
    calls: output.flatMap(item => {
      if (item.type === 'custom_tool_call')
        return [{ id: item.call_id, name: item.name, arguments: item.input }]
      if (item.type !== 'function_call') return []
      const name = item.namespace ? `${item.namespace}__${item.name}` : item.name
      return [{ id: item.call_id, name, arguments: item.arguments }]
    }),
    usage: { prompt_tokens: usage?.input_tokens, completion_tokens: usage?.output_tokens },
    ended: details?.reason ?? status,
  }
}

const ENDS = {
  stop: 'completed',
  tool_calls: 'completed',
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

function expected({ reasoning, text, calls, usage, finish }: GeneratedAnswer) {
  // Of a custom tool the client gets the text inside the one argument, where the model wrote one.
  const unwrapped = calls.map(call => {
    const { input } = JSON.parse(call.arguments) as { input?: unknown }
    return call.name === 'shell' && typeof input === 'string' ? { ...call, arguments: input } : call
  })
  const counted = {
    prompt_tokens: usage.prompt_tokens || PROMPT_TOKENS,
    // What nobody told is estimated.
    completion_tokens: usage.completion_tokens || expect.any(Number),
  }
  return { reasoning, text, calls: unwrapped, usage: counted, ended: ENDS[finish] }
}

describe('the events of an answer', () => {
  it('say what the model said, in the order that the API promises', () => {
    fc.assert(
      fc.property(arbitraryAnswer, answer => {
        const events = play(answer.chunks)
        expect(orderFaults(events)).toEqual([])
        // Without the terminal event, which repeats everything.
        const parts = said(accumulate(events.slice(0, -1)))
        const { reasoning, text, calls } = expected(answer)
        expect(parts).toMatchObject({ reasoning, text, calls })
        expect(said(accumulate(events))).toEqual(expected(answer))
      }),
      { numRuns: 1_000 },
    )
  })

  it('end with what the same answer is when it is not streamed', () => {
    fc.assert(
      fc.property(arbitraryAnswer, answer => {
        const fold = createFold()
        for (const chunk of answer.chunks) fold.add(chunk)
        const whole = wholeResponse(fold.completion(), contextFor())
        expect(play(answer.chunks).at(-1)?.response).toEqual(whole)
      }),
      { numRuns: 200 },
    )
  })

  it('hold the deltas of a later call until the earlier one has ended', () => {
    const events = play([
      callDelta(0, { id: 'a', function: { name: 'read_file', arguments: '{"x"' } }),
      callDelta(1, { id: 'b', function: { name: 'read_file', arguments: '{"y"' } }),
      callDelta(0, { function: { arguments: ':1}' } }),
      callDelta(1, { function: { arguments: ':2}' } }),
      delta({}, 'tool_calls'),
    ])
    expect(orderFaults(events)).toEqual([])
    const deltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta')
    expect(deltas.map(event => [event.output_index, event.delta])).toEqual([
      [0, '{"x"'],
      [0, ':1}'],
      [1, '{"y":2}'],
    ])
  })

  it('open a new message for text after a call', () => {
    const events = play([
      delta({ content: 'First' }),
      callDelta(0, { id: 'a', function: { name: 'read_file', arguments: '{}' } }),
      delta({ content: 'then' }),
      delta({}, 'tool_calls'),
    ])
    expect(orderFaults(events)).toEqual([])
    const added = events.filter(({ type }) => type === 'response.output_item.added')
    expect(added.map(({ item }) => (item as JsonObject).type)).toEqual([
      'message',
      'function_call',
      'message',
    ])
  })

  it('give a custom tool its text in one delta, and a client search its arguments as an object', () => {
    const tools = [...TOOLS, { type: 'tool_search', execution: 'client', parameters: { type: 'object' } }]
    const events = play(
      [
        callDelta(0, { id: 'a', function: { name: 'shell', arguments: '{"inp' } }),
        callDelta(0, { function: { arguments: 'ut":"*** Begin\\n"}' } }),
        callDelta(1, { id: 'b', function: { name: 'tool_search', arguments: '{"query":"x"}' } }),
        delta({}, 'tool_calls'),
      ],
      contextFor({ tools }),
    )
    expect(orderFaults(events)).toEqual([])
    const inputs = events.filter(({ type }) => type.startsWith('response.custom_tool_call_input'))
    expect(inputs.map(event => event.delta ?? event.input)).toEqual(['*** Begin\n', '*** Begin\n'])
    const items = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
    expect(items).toMatchObject([
      { type: 'custom_tool_call', name: 'shell', call_id: 'a', input: '*** Begin\n' },
      { type: 'tool_search_call', call_id: 'b', execution: 'client', arguments: { query: 'x' } },
    ])
  })

  it('give a call without arguments an empty object, in a delta too', () => {
    const events = play([
      callDelta(0, { id: 'a', function: { name: 'update', arguments: '' } }),
      delta({}, 'tool_calls'),
    ])
    const [call] = accumulate(events.slice(0, -1)).output
    expect(call).toMatchObject({ type: 'function_call', arguments: '{}' })
  })

  it.each([
    ['OpenAI/JS 7', { type: 'response.completed', part: 'refusal' }],
    ['codex_cli_rs/0.171', { type: 'response.completed', part: 'output_text' }],
  ])('show a refusal to %s', (userAgent, { type, part }) => {
    const chunks = [delta({ refusal: 'I will' }), delta({ refusal: ' not.' }), delta({}, 'stop')]
    const events = play(chunks, contextFor({}, userAgent))
    expect(orderFaults(events)).toEqual([])
    expect(events.at(-1)?.type).toBe(type)
    expect(accumulate(events).output).toMatchObject([{ content: [{ type: part }] }])
  })

  test.each([
    ['OpenAI/JS 7', 'content_filter', 'response.incomplete'],
    ['codex_cli_rs/0.171', 'content_filter', 'response.failed'],
    ['codex_cli_rs/0.171', 'length', 'response.incomplete'],
    ['OpenAI/JS 7', 'malformed_function_call', 'response.failed'],
  ])('%s hears of an end by %s as %s', (userAgent, finish, type) => {
    const events = play([delta({ content: 'Some' }), delta({}, finish)], contextFor({}, userAgent))
    expect(orderFaults(events)).toEqual([])
    expect(events.at(-1)?.type).toBe(type)
  })

  it('fail late with what was whole until then, and nothing after it', () => {
    const writer = createResponseWriter(contextFor())
    const error = { code: 'stream_cut', message: 'The endpoint broke off.' }
    const text =
      writer.chunk(delta({ reasoning_content: 'Hm' })) +
      writer.chunk(delta({ content: 'Ha' })) +
      writer.cut(error)
    const events = readEvents(text)
    expect(orderFaults(events)).toEqual([])
    const failed = accumulate(events)
    expect(failed).toMatchObject({ status: 'failed', error, output: [{ type: 'reasoning' }] })
  })

  it('repeat that the answer is in progress where nothing has come for a while', () => {
    const writer = createResponseWriter(contextFor())
    const call = (text: string) => callDelta(0, { id: 'a', function: { name: 'shell', arguments: text } })
    let text = writer.ping() + writer.chunk(delta({ role: 'assistant' })) + writer.ping()
    text += writer.chunk(call('{"input":')) + writer.ping() + writer.chunk(call('"x"}')) + writer.end()
    const events = readEvents(text)
    expect(orderFaults(events)).toEqual([])
    expect(events.filter(({ type }) => type === 'response.in_progress')).toHaveLength(3)
    expect(accumulate(events).output).toMatchObject([{ input: 'x' }])
  })

  it('let an id carry its message where the client refers to messages', () => {
    const context = contextFor({ store: null }, 'ai/6.0 ai-sdk/openai/3.0')
    const events = play([delta({ content: 'He' }), delta({ content: 'llo' }), delta({}, 'stop')], context)
    expect(orderFaults(events)).toEqual([])
    const [message] = accumulate(events).output
    expect(readItemId(message?.id ?? '')).toMatchObject({ role: 'assistant', content: [{ text: 'Hello' }] })
  })
})
