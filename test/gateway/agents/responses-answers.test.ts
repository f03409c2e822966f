import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../../../lambdas/core/json.ts'
import { orderFaults, readEvents } from '../../http/surfaces/responses/read-events.ts'
import { chatChunk, chatStream } from '../../support/upstreams/chat-bodies.ts'
import { streamOf } from '../../support/tool-calls.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import { objects, RESPONSES, startHouse } from './play-agent.ts'

/**
 * What other gateways have got wrong in answers of the Responses API, each from a public report. Every case goes through
 * a whole gateway in front of an endpoint of the chat API.
 */

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

const call = (index: number, id: string, name: string, args: string): JsonObject =>
  chatChunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] })

const SPOKEN = [
  chatChunk({ reasoning_content: 'Hm. ' }),
  chatChunk({ reasoning_content: 'So.' }),
  chatChunk({ content: 'I ' }),
  chatChunk({ content: 'look.' }),
  call(0, 'call_1', 'shell', '{"command":"ls"}'),
  chatChunk({ content: 'And then.' }),
  chatChunk({}, 'tool_calls'),
]

/** The events of an answer, in an order that the API promises, and the items that end in it. */
async function streamed(answer: UpstreamAnswer, fields: object = {}) {
  await using house = await startHouse({ answers: [answer] })
  const { text } = await house.ask(RESPONSES, { input: 'Hello?', stream: true, ...fields })
  const events = readEvents(text)
  expect(orderFaults(events)).toEqual([])
  const done = events.filter(({ type }) => type === 'response.output_item.done')
  const response = objectOf(events.at(-1)?.response)
  return { events, items: done.map(({ item }) => objectOf(item)), response }
}

describe('an answer that thinks, speaks and calls', () => {
  it('tells the whole life of every part and item, Wei-Shaw/sub2api#2875, BerriAI/litellm#22102', async () => {
    const { events } = await streamed(streamOf(SPOKEN))
    const lives = [0, 1, 2, 3].map(place =>
      events
        .filter(({ output_index: index }) => index === place)
        .map(({ type }) => type.replace('response.', ''))
        .filter((type, at, all) => type !== all[at - 1]),
    )
    const text = ['content_part.added', 'output_text.delta', 'output_text.done', 'content_part.done']
    const item = (...inner: string[]) => ['output_item.added', ...inner, 'output_item.done']
    expect(lives).toEqual([
      item(
        'reasoning_summary_part.added',
        'reasoning_summary_text.delta',
        'reasoning_summary_text.done',
        'reasoning_summary_part.done',
      ),
      item(...text),
      item('function_call_arguments.delta', 'function_call_arguments.done'),
      item(...text),
    ])
  })

  it('names each item by one id from its first event to its last, BerriAI/litellm#32777', async () => {
    const { events, response } = await streamed(streamOf(SPOKEN))
    const ids = new Map<unknown, Set<unknown>>()
    for (const { output_index: index, item, item_id: id } of events) {
      if (index !== undefined) ids.set(index, (ids.get(index) ?? new Set()).add(id ?? objectOf(item).id))
    }
    expect([...ids.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1])
    expect([...ids.values()].map(([id]) => id)).toEqual(objects(response.output).map(({ id }) => id))
  })

  it('begins a new message behind a call, maximhq/bifrost#5967', async () => {
    const { items } = await streamed(streamOf(SPOKEN))
    expect(items.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call', 'message'])
    expect(items[3]).toMatchObject({ content: [{ type: 'output_text', text: 'And then.' }] })
  })

  it('counts the parts of an item, and not the items, tombii/better-ccflare#233', async () => {
    const { events } = await streamed(streamOf(SPOKEN))
    const places = events.flatMap(({ content_index: at, output_index: index }) =>
      at === undefined ? [] : [[index, at]],
    )
    expect(places).toContainEqual([3, 0])
    expect(places.every(([, at]) => at === 0)).toBe(true)
  })

  it('ends with its id, its output and its usage, Oaklight/llm-rosetta#56', async () => {
    const usage = { prompt_tokens: 9_000, completion_tokens: 5, total_tokens: 9_005 }
    const { events, items, response } = await streamed(chatStream(['Hi.'], { usage }))
    expect(response).toMatchObject({
      id: objectOf(events[0]?.response).id,
      status: 'completed',
      output: items,
      usage: { input_tokens: 9_000, output_tokens: 5, total_tokens: 9_005 },
    })
    expect(items).toMatchObject([{ type: 'message', role: 'assistant', status: 'completed' }])
  })

  it('has a usage that grows with both sides where the host tells none, so that agents compact', async () => {
    const usageOf = async (asked: number, answered: number, stream: boolean) => {
      await using house = await startHouse({
        answers: [chatStream(['word '.repeat(answered)], { usage: null })],
      })
      const { text, json } = await house.ask(RESPONSES, { input: 'word '.repeat(asked), stream })
      const response = stream ? objectOf(readEvents(text).at(-1)?.response) : json
      return response.usage as { input_tokens: number; output_tokens: number; total_tokens: number }
    }
    for (const stream of [true, false]) {
      const [short, long] = [await usageOf(10, 10, stream), await usageOf(10_000, 2_000, stream)]
      expect(short.input_tokens).toBeGreaterThan(0)
      expect(long.input_tokens).toBeGreaterThan(short.input_tokens + 5_000)
      expect(long.output_tokens).toBeGreaterThan(short.output_tokens + 1_000)
      expect(long.total_tokens).toBe(long.input_tokens + long.output_tokens)
    }
  })
})

describe('a call', () => {
  const GRAMMAR = { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch" LF' }
  const TOOLS = [
    { type: 'custom', name: 'apply_patch', description: 'Edits.', format: GRAMMAR },
    { type: 'function', name: 'shell', parameters: { type: 'object' } },
  ]

  it('of a custom tool comes back as one, at a place of its own, decolua/9router#1371', async () => {
    const patch = '*** Begin Patch\n"x"\n'
    const { events, items } = await streamed(
      streamOf([
        call(0, 'call_1', 'apply_patch', JSON.stringify({ input: patch })),
        call(1, 'call_2', 'shell', '{}'),
        chatChunk({}, 'tool_calls'),
      ]),
      { tools: TOOLS },
    )
    expect(items).toMatchObject([
      { type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: patch },
      { type: 'function_call', call_id: 'call_2', name: 'shell', arguments: '{}' },
    ])
    const added = events.filter(({ type }) => type === 'response.output_item.added')
    expect(added.map(({ output_index: index }) => index)).toEqual([0, 1])
  })

  it('of a custom tool keeps what is no JSON, as the text that it is', async () => {
    const { items } = await streamed(
      streamOf([call(0, 'call_1', 'apply_patch', '*** Begin Patch'), chatChunk({}, 'tool_calls')]),
      { tools: TOOLS },
    )
    expect(items).toMatchObject([{ type: 'custom_tool_call', input: '*** Begin Patch' }])
  })

  it('is told apart by its id from another of the same index, ai-dynamo/dynamo#4723', async () => {
    const { items } = await streamed(
      streamOf([
        call(0, 'call_1', 'shell', '{"command":"a"}'),
        call(0, 'call_2', 'shell', '{"command":"b"}'),
        chatChunk({}, 'tool_calls'),
      ]),
      { tools: TOOLS },
    )
    expect(items.map(({ call_id: id, arguments: args }) => [id, args])).toEqual([
      ['call_1', '{"command":"a"}'],
      ['call_2', '{"command":"b"}'],
    ])
  })

  it('of a namespace is named by both, the way Codex finds it, openai/codex#23186', async () => {
    const member = { type: 'function', name: 'close_agent', parameters: { type: 'object' } }
    const tools = [{ type: 'namespace', name: 'multi_agent_v1', tools: [member] }]
    const { items } = await streamed(
      streamOf([call(0, 'call_1', 'multi_agent_v1__close_agent', '{}'), chatChunk({}, 'tool_calls')]),
      { tools },
    )
    expect(items).toMatchObject([
      { type: 'function_call', name: 'close_agent', namespace: 'multi_agent_v1', arguments: '{}' },
    ])
  })

  it('of a namespace that came as an item is named so too, router-for-me/CLIProxyAPI#4850', async () => {
    const member = { type: 'custom', name: 'exec', description: 'Runs.', format: GRAMMAR }
    const input = [
      {
        type: 'additional_tools',
        role: 'developer',
        tools: [{ type: 'namespace', name: 'functions', tools: [member] }],
      },
      { role: 'user', content: 'Hello?' },
    ]
    await using house = await startHouse({
      answers: [
        streamOf([call(0, 'call_1', 'functions__exec', '{"input":"ls"}'), chatChunk({}, 'tool_calls')]),
      ],
    })
    const { json } = await house.ask(RESPONSES, { input })
    expect(json.output).toMatchObject([
      { type: 'custom_tool_call', name: 'exec', namespace: 'functions', input: 'ls' },
    ])
    const [tool] = objects(house.sent().tools)
    const described = objectOf(tool?.function)
    // Its grammar is the only thing that tells the model how to write, router-for-me/CLIProxyAPI#4414.
    expect(described).toMatchObject({ name: 'functions__exec', parameters: { required: ['input'] } })
    expect(described.description).toContain('*** Begin Patch')
  })
})
