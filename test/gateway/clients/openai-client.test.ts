import type { OpenAI } from 'openai'
import { describe, expect, test } from 'vitest'
import { chatCompletion, chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { connect, OPENAI_MAJORS } from '../../support/openai-majors.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../../support/start-gateway.ts'
import { CALLS, indexlessToolStream, wholeToolCalls } from '../../support/tool-calls.ts'

type Question = Pick<OpenAI.ChatCompletionCreateParams, 'model' | 'messages'>
type Chunk = OpenAI.ChatCompletionChunk

const QUESTION = {
  model: 'chat',
  messages: [{ role: 'user', content: 'Hello?' }],
} satisfies Question

const TOOLS = [
  {
    type: 'function',
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
] satisfies OpenAI.ChatCompletionTool[]

const OVERLOADED = errorAnswer(503, { message: 'The model is overloaded.' })

/** One attempt for each of the two tiers: nothing is waited out. */
const SETTINGS = { retry_max_attempts: 2 }

async function startChain(primary: Parameters<typeof startUpstream>[0]) {
  const upstream = await startUpstream(primary)
  const backup = await startUpstream([chatStream(['Grüß ', 'Gott ', '👋'], { model: 'backup-2' })])
  const gateway = await startGateway(
    configOf({ primary: upstream.url, backup: backup.url }, [['primary/m'], ['backup/backup']], SETTINGS),
  )
  return {
    gateway,
    upstream,
    backup,
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await upstream.close()
      await backup.close()
    },
  }
}

async function collect(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

const contentOf = (chunks: readonly Chunk[]): string =>
  chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')

const callsOf = (message: OpenAI.ChatCompletionMessage | undefined) =>
  message?.tool_calls?.map(call => (call.type === 'function' ? { id: call.id, ...call.function } : call))

describe.each(OPENAI_MAJORS)('the official client, $major', ({ sdk }) => {
  test('gets a streamed answer through a fallback, and sees who gave it', async () => {
    await using chain = await startChain([OVERLOADED])
    const client = connect(sdk, chain.gateway)
    const { data, response, request_id } = await client.chat.completions
      .create({ ...QUESTION, stream: true })
      .withResponse()
    const chunks = await collect(data)
    expect(contentOf(chunks)).toBe('Grüß Gott 👋')
    expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set(['backup-2']))
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(response.headers.get('x-backstop-chain')).toMatch(
      /^primary\/m;overloaded;503;\d+ > backup\/backup;ok;200;\d+$/,
    )
    expect(response.headers.get('x-backstop-served-by')).toBe('backup/backup')
    expect(chain.upstream.calls()).toBe(1)
    await expect.poll(() => chain.gateway.completed[0]?.requestId).toBe(request_id)
    expect(chain.gateway.completed[0]?.outcome).toBe('answered')
  })

  test('gets a whole answer through a fallback, and sees who gave it', async () => {
    await using chain = await startChain([OVERLOADED])
    const client = connect(sdk, chain.gateway)
    const answered = client.chat.completions.create(QUESTION).withResponse()
    const { data, response, request_id } = await answered
    expect(data.choices[0]?.message).toMatchObject({ role: 'assistant', content: 'Grüß Gott 👋' })
    expect(data.choices[0]?.finish_reason).toBe('stop')
    expect(data.object).toBe('chat.completion')
    expect(data.model).toBe('backup-2')
    expect(data.usage?.total_tokens).toBe(8)
    await expect.poll(() => chain.gateway.completed[0]?.requestId).toBe(request_id)
    expect(response.headers.get('x-backstop-served-by')).toBe('backup/backup')
    expect(response.headers.get('x-backstop-attempts')).toBe('2')
  })

  test('streams an answer that the upstream gave whole', async () => {
    await using chain = await startChain([chatCompletion('All at once.')])
    const client = connect(sdk, chain.gateway)
    const stream = client.chat.completions.stream(QUESTION)
    expect(await stream.finalContent()).toBe('All at once.')
  })

  const sources = [
    { source: 'streamed without indexes', answer: indexlessToolStream() },
    { source: 'given whole', answer: wholeToolCalls() },
  ]
  test.each(sources)('streams parallel tool calls that were $source', async ({ answer }) => {
    await using chain = await startChain([answer])
    const client = connect(sdk, chain.gateway)
    const stream = client.chat.completions.stream({ ...QUESTION, tools: TOOLS })
    const { choices } = await stream.finalChatCompletion()
    expect(callsOf(choices[0]?.message)).toMatchObject(CALLS)
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    expect(chain.upstream.requests[0]?.body.tools).toEqual(TOOLS)
  })

  test.each(sources)('gets parallel tool calls whole that were $source', async ({ answer }) => {
    await using chain = await startChain([answer])
    const client = connect(sdk, chain.gateway)
    const { choices } = await client.chat.completions.create({ ...QUESTION, tools: TOOLS })
    expect(callsOf(choices[0]?.message)).toEqual(CALLS)
    expect(choices[0]?.finish_reason).toBe('tool_calls')
  })

  test('hands back the results of its tools', async () => {
    await using chain = await startChain([indexlessToolStream(), chatStream(['It rains.'])])
    const client = connect(sdk, chain.gateway)
    const first = await client.chat.completions.create({ ...QUESTION, tools: TOOLS })
    const message = first.choices[0]?.message
    const results = CALLS.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'rain' }))
    const second = await client.chat.completions.create({
      ...QUESTION,
      tools: TOOLS,
      messages: [...QUESTION.messages, ...(message ? [message] : []), ...results],
    })
    expect(second.choices[0]?.message.content).toBe('It rains.')
    expect(chain.upstream.requests[1]?.body.messages).toHaveLength(4)
  })

  test('gets JSON where it asks for JSON', async () => {
    await using chain = await startChain([chatStream(['{"sky":', '"blue"}'])])
    const client = connect(sdk, chain.gateway)
    const response_format = { type: 'json_object' as const }
    const { choices } = await client.chat.completions.create({ ...QUESTION, response_format })
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ sky: 'blue' })
    expect(chain.upstream.requests[0]?.body.response_format).toEqual(response_format)
  })

  test('gets the usage of a stream where it asks for it', async () => {
    await using chain = await startChain([chatStream(['one ', 'two'])])
    const client = connect(sdk, chain.gateway)
    const stream_options = { include_usage: true }
    const chunks = await collect(
      await client.chat.completions.create({ ...QUESTION, stream: true, stream_options }),
    )
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } })
    expect(contentOf(chunks)).toBe('one two')
  })

  test('sees no usage where it did not ask, although the gateway does', async () => {
    await using chain = await startChain([chatStream(['one ', 'two'])])
    const client = connect(sdk, chain.gateway)
    const chunks = await collect(await client.chat.completions.create({ ...QUESTION, stream: true }))
    expect(chunks.every(({ choices, usage }) => choices.length === 1 && !usage)).toBe(true)
    expect(chain.upstream.requests[0]?.body.stream_options).toEqual({ include_usage: true })
    await expect.poll(() => chain.gateway.completed[0]?.usage).toMatchObject({ completionTokens: 2 })
  })

  test('lists the aliases as models', async () => {
    await using chain = await startChain([OVERLOADED])
    const client = connect(sdk, chain.gateway)
    const { data } = await client.models.list()
    expect(data.map(({ id }) => id)).toEqual(['chat'])
    expect(await client.models.retrieve('chat')).toMatchObject({ id: 'chat', object: 'model' })
  })
})
