import { describe, expect, it } from 'vitest'
import { isJsonObject, type JsonObject } from '../../../lambdas/core/json.ts'
import { orderFaults, readEvents } from '../../http/surfaces/messages/read-events.ts'
import { chatChunk, chatStream, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import { streamOf } from '../../support/tool-calls.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import { MESSAGES, startHouse } from './play-agent.ts'

/**
 * What other gateways have got wrong in answers of the Messages API, each from a public report. Every case goes through
 * a whole gateway in front of an endpoint of the chat API.
 */

const QUESTION = { max_tokens: 100, messages: [{ role: 'user', content: 'Hello?' }] }
const SHOWN = { thinking: { type: 'enabled', budget_tokens: 2_000, display: 'summarized' } }

const call = (index: number, id: string, args: string, name = 'Bash'): JsonObject => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }],
})
const more = (index: number, args: string, id?: string): JsonObject => ({
  tool_calls: [{ index, ...(id ? { id } : {}), function: { arguments: args } }],
})

async function streamed(answer: UpstreamAnswer, fields: object = {}) {
  await using house = await startHouse({ answers: [answer] })
  const { text } = await house.ask(MESSAGES, { ...QUESTION, stream: true, ...fields })
  const events = readEvents(text)
  expect(orderFaults(events)).toEqual([])
  const blocks = events.flatMap(event =>
    event.type === 'content_block_start' && isJsonObject(event.content_block) ? [event.content_block] : [],
  )
  const deltas = events.flatMap(({ type, index, delta }) =>
    type === 'content_block_delta' ? [{ index, ...(delta as JsonObject) }] : [],
  )
  const inputs = new Map<unknown, string>()
  for (const { index, partial_json: json } of deltas as readonly JsonObject[]) {
    if (typeof json === 'string') inputs.set(index, (inputs.get(index) ?? '') + json)
  }
  const ending = events.find(({ type }) => type === 'message_delta') ?? {}
  return {
    events,
    blocks,
    deltas,
    inputs: [...inputs.values()],
    ending: ending as JsonObject,
  }
}

describe('an answer that thinks, speaks and calls', () => {
  it('has one block for each kind, BerriAI/litellm#33224', async () => {
    const chunks = [
      chatChunk({ role: 'assistant', reasoning_content: 'Hm. ' }),
      chatChunk({ reasoning_content: 'So.', content: '' }),
      chatChunk({ content: 'I look.' }),
      chatChunk({ reasoning_content: 'Now.' }),
      chatChunk(call(0, 'call_1', '{}')),
      chatChunk({}, 'tool_calls'),
    ]
    const { blocks, deltas } = await streamed(streamOf(chunks), SHOWN)
    expect(blocks.map(({ type }) => type)).toEqual(['thinking', 'text', 'thinking', 'tool_use'])
    expect(deltas).toMatchObject([
      { index: 0, type: 'thinking_delta', thinking: 'Hm. ' },
      { index: 0, type: 'thinking_delta', thinking: 'So.' },
      { index: 1, type: 'text_delta', text: 'I look.' },
      { index: 2, type: 'thinking_delta', thinking: 'Now.' },
      { index: 3, type: 'input_json_delta', partial_json: '{}' },
    ])
  })

  it('begins once, however often its host says so, BerriAI/litellm#32357', async () => {
    const chunks = [
      chatChunk({ role: 'assistant', content: '' }),
      { ...chatChunk({ role: 'assistant', content: '' }), id: 'chatcmpl-other' },
      chatChunk({ role: 'assistant', content: 'Hi' }),
      chatChunk({ role: 'assistant', content: '.' }, 'stop'),
    ]
    const { events } = await streamed(streamOf(chunks))
    expect(events.filter(({ type }) => type === 'message_start')).toHaveLength(1)
  })
})

describe('the calls of an answer', () => {
  it('keep the arguments that came with their first chunk, BerriAI/litellm#25321', async () => {
    const chunks = [chatChunk(call(0, 'call_1', '{"command":"ls"}')), chatChunk({}, 'tool_calls')]
    const { inputs, blocks } = await streamed(streamOf(chunks))
    expect(inputs).toEqual(['{"command":"ls"}'])
    // What would stand here is read by no client.
    expect(blocks).toMatchObject([{ type: 'tool_use', id: 'call_1', input: {} }])
  })

  it.each([
    ['stop', 'streamed', true],
    ['stop', 'whole', false],
    ['tool_calls', 'streamed', true],
  ])(
    'end it by tool_use after a text, where the host says %s, %s, maximhq/bifrost#3638',
    async (finish, _, stream) => {
      const chunks = [
        chatChunk({ content: 'I look.' }),
        chatChunk(call(0, 'call_1', '{}')),
        chatChunk({}, finish),
      ]
      await using house = await startHouse({ answers: [streamOf(chunks)] })
      const { text, json } = await house.ask(MESSAGES, { ...QUESTION, stream })
      const ending = stream
        ? readEvents(text).find(({ type }) => type === 'message_delta')?.delta
        : { stop_reason: json.stop_reason }
      expect(ending).toMatchObject({ stop_reason: 'tool_use' })
    },
  )

  it('are calls also where the host answers in the way before tools', async () => {
    const chunks = [
      chatChunk({ function_call: { name: 'Bash', arguments: '{"command"' } }),
      chatChunk({ function_call: { arguments: ':"ls"}' } }),
      chatChunk({}, 'function_call'),
    ]
    const tools = [{ name: 'Bash', input_schema: { type: 'object' } }]
    const { inputs, blocks, ending } = await streamed(streamOf(chunks), { tools })
    expect(blocks).toMatchObject([{ type: 'tool_use', name: 'Bash' }])
    expect(inputs).toEqual(['{"command":"ls"}'])
    expect(ending.delta).toMatchObject({ stop_reason: 'tool_use' })
  })

  it('are told apart by their ids where they share an index, ai-dynamo/dynamo#4723', async () => {
    const chunks = [
      chatChunk(call(0, 'call_1', '{"command":"a"}')),
      chatChunk(call(0, 'call_2', '{"command":"b"}')),
      chatChunk({}, 'tool_calls'),
    ]
    const { blocks, inputs } = await streamed(streamOf(chunks))
    expect(blocks.map(({ id }) => id)).toEqual(['call_1', 'call_2'])
    expect(inputs).toEqual(['{"command":"a"}', '{"command":"b"}'])
  })

  it('are told apart where their pieces are interleaved, langgenius/dify-official-plugins#2667', async () => {
    const chunks = [
      chatChunk(call(0, 'call_1', '{"command":')),
      chatChunk(call(1, 'call_2', '{"file":', 'Read')),
      chatChunk(more(0, '"a"}')),
      chatChunk(more(1, '"b"}')),
      chatChunk({}, 'tool_calls'),
    ]
    const { blocks, inputs } = await streamed(streamOf(chunks))
    expect(blocks.map(({ name }) => name)).toEqual(['Bash', 'Read'])
    expect(inputs).toEqual(['{"command":"a"}', '{"file":"b"}'])
  })
})

describe('the usage of an answer', () => {
  const told = { prompt_tokens: 51_234, completion_tokens: 7, total_tokens: 51_241 }

  it('is the real one in its last event, router-for-me/CLIProxyAPI#1700', async () => {
    const { ending } = await streamed(chatStream(['Hi'], { usage: told }))
    expect(ending.usage).toMatchObject({ input_tokens: 51_234, output_tokens: 7 })
  })

  it('counts what came from a cache apart, and never twice', async () => {
    const usage = { ...told, prompt_tokens_details: { cached_tokens: 50_000 } }
    const { ending } = await streamed(chatStream(['Hi'], { usage }))
    expect(ending.usage).toMatchObject({ input_tokens: 1_234, cache_read_input_tokens: 50_000 })
  })

  it('grows with the prompt where the host tells none, MadAppGang/claudish#123', async () => {
    const inputOf = async (words: number): Promise<number> => {
      const messages = [{ role: 'user', content: 'word '.repeat(words) }]
      const { ending, events } = await streamed(chatStream(['Hi'], { usage: null }), { messages })
      const usage = ending.usage as { input_tokens: number }
      const begun = events[0]?.message as { usage: { input_tokens: number } }
      expect(begun.usage.input_tokens).toBe(usage.input_tokens)
      return usage.input_tokens
    }
    const [short, long] = [await inputOf(10), await inputOf(10_000)]
    expect(short).toBeGreaterThan(0)
    expect(long).toBeGreaterThan(short + 5_000)
  })

  it.each(['ollama', 'llama.cpp', 'vllm', undefined])(
    'is asked of %s, Gitlawb/openclaude#2136',
    async provider => {
      const answers = [chatStream(['Hi'], { usage: told })]
      await using house = await startHouse({ answers, ...(provider ? { provider } : {}) })
      const { text } = await house.ask(MESSAGES, { ...QUESTION, stream: true })
      expect(house.sent().stream_options).toEqual({ include_usage: true })
      expect(text).toContain('"input_tokens":51234')
    },
  )
})

describe('a failure after the first words', () => {
  it.each([
    [
      'an error in the stream',
      [sseEvent(chatChunk({ content: 'Half' })), sseEvent({ error: { message: 'Lost.' } })],
    ],
    ['a stream that just ends', [sseEvent(chatChunk({ content: 'Half' }))]],
    ['a backend that gave up', [sseEvent(chatChunk({ content: 'Half' })), sseEvent(chatChunk({}, 'error'))]],
  ])('is an error and no end of a turn: %s, StringKe/claudex#10', async (_, chunks) => {
    await using house = await startHouse({ answers: [{ status: 200, chunks }] })
    const { text } = await house.ask(MESSAGES, { ...QUESTION, stream: true })
    const events = readEvents(text)
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } })
    expect(events.some(({ type }) => type === 'message_delta' || type === 'message_stop')).toBe(false)
  })
})
