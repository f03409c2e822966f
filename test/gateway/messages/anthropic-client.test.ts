import Anthropic from '@anthropic-ai/sdk'
import { afterEach, describe, expect, it, test } from 'vitest'
import {
  chatChunk,
  chatCompletion,
  chatStream,
  errorAnswer,
  sseEvent,
} from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway, type TestGateway } from '../../support/start-gateway.ts'
import { CALLS, indexlessToolStream, streamOf } from '../../support/tool-calls.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { BROKEN, startBrokenChain } from '../../support/broken-chain.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

const connect = ({ url }: TestGateway, headers: Record<string, string> = {}) =>
  new Anthropic({ apiKey: 'none', baseURL: url, defaultHeaders: headers })

/** As Claude Code names its session: without one, a later round would not be allowed to fall back. */
const SESSION = { 'x-claude-code-session-id': 'session-of-a-test' }
const QUESTION = { model: 'chat', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello?' }] }
const TOOLS: Anthropic.Tool[] = [
  { name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } },
]
const GOOD = chatStream(['Grüß ', 'Gott ', '👋'], { model: 'backup-2' })
const OVERLOADED = errorAnswer(503, { message: 'The model is overloaded.' })

const textOf = ({ content }: Anthropic.Message): string =>
  content.map(block => (block.type === 'text' ? block.text : '')).join('')

async function ask(gateway: TestGateway, body: object, headers: Record<string, string> = {}) {
  return fetch(`${gateway.url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify({ ...QUESTION, ...body }),
  })
}

describe.each(BROKEN)('the official client, where the first endpoint $name', ({ answer }) => {
  it('gets a whole answer', async () => {
    await using chain = await startBrokenChain({ first: [answer], isNative: true, second: [GOOD] })
    const asked = connect(chain.gateway).messages.create(QUESTION).withResponse()
    const { data, response } = await asked
    expect(textOf(data)).toBe('Grüß Gott 👋')
    expect(data).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'end_turn' })
    expect(data.usage).toMatchObject({ input_tokens: 5, output_tokens: 3 })
    expect(response.headers.get('x-backstop-served-by')).toBe('backup/backup')
    // At its defaults the client repeats what fails: there was nothing to repeat.
    await chain.gateway.settled()
    expect(chain.gateway.completed).toHaveLength(1)
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
  })

  it('gets a streamed answer', async () => {
    await using chain = await startBrokenChain({ first: [answer], isNative: true, second: [GOOD] })
    const stream = connect(chain.gateway).messages.stream(QUESTION)
    let text = ''
    stream.on('text', delta => void (text += delta))
    const final = await stream.finalMessage()
    expect([text, textOf(final)]).toEqual(['Grüß Gott 👋', 'Grüß Gott 👋'])
  })

  it('calls tools over two rounds', async () => {
    await using chain = await startBrokenChain({
      first: [answer],
      isNative: true,
      second: [indexlessToolStream(), chatStream(['It rains.'])],
    })
    const client = connect(chain.gateway, SESSION)
    const first = await client.messages.stream({ ...QUESTION, tools: TOOLS }).finalMessage()
    const calls = first.content.filter(block => block.type === 'tool_use')
    expect(first.stop_reason).toBe('tool_use')
    expect(calls.map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) }))).toEqual(
      CALLS,
    )
    const results = calls.map(({ id }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: 'rain',
    }))
    const messages = [
      ...QUESTION.messages,
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content: results },
    ]
    const second = await client.messages.create({ ...QUESTION, messages, tools: TOOLS })
    expect(textOf(second)).toBe('It rains.')
    expect(chain.backup.requests[1]?.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: CALLS.map(({ id }) => ({ id })) },
      { role: 'tool', tool_call_id: 'call_rome', content: 'rain' },
      { role: 'tool', tool_call_id: 'call_bern', content: 'rain' },
    ])
    expect(chain.backup.requests[1]?.headers['x-backstop-completed-tool-calls']).toBe('call_rome,call_bern')
  })
})

describe('a streamed answer', () => {
  it('that is cut ends with an error, and nothing that looks like success', async () => {
    const cut = chatStream(['Half an ', 'answer'], { finish: null })
    await using chain = await startBrokenChain({ first: [cut], second: [GOOD] })
    const failed = connect(chain.gateway).messages.stream(QUESTION).finalMessage()
    await expect(failed).rejects.toThrow(/broke off/)
    const text = await (await ask(chain.gateway, { stream: true })).text()
    expect(text).toContain('event: error\ndata: {"type":"error","error":{"type":"api_error"')
    expect(text).not.toMatch(/message_stop|message_delta/)
    // An agent asks again without a stream, whose answer fails over.
    expect(textOf(await connect(chain.gateway).messages.create(QUESTION))).toBe('Grüß Gott 👋')
  })

  it('is kept alive by pings while its upstream says nothing', async () => {
    const clock = createVirtualClock()
    const slow = await startUpstream(
      () => ({
        status: 200,
        chunks: [
          sseEvent(chatChunk({ content: 'Wait' })),
          { sleepMs: 20_000 },
          sseEvent(chatChunk({ content: ' for it.' }, 'stop')),
          'data: [DONE]\n\n',
        ],
      }),
      { clock },
    )
    open.push(slow)
    const gateway = await startGateway(configOf({ a: slow.url }, [['a/m']]), {}, { clock })
    open.push(gateway)
    const text = await (await ask(gateway, { stream: true })).text()
    expect(text.match(/event: ping\ndata: \{"type":"ping"\}\n\n/g)).toHaveLength(1)
    expect(text).toContain('message_stop')
  })

  it('is served to Claude Code as it asks, with what is left out named', async () => {
    await using chain = await startBrokenChain({ second: [GOOD] })
    const response = await ask(
      chain.gateway,
      {
        stream: true,
        max_tokens: 32_000,
        tools: [{ name: 'Bash', description: 'Runs.', input_schema: {} }],
        system: [
          { type: 'text', text: 'x-anthropic-billing-header: x' },
          { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
        ],
        messages: [...QUESTION.messages, { role: 'system', content: 'Go on.' }],
        metadata: { user_id: '{"device_id":"d","session_id":"s"}' },
        thinking: { type: 'adaptive', display: 'omitted' },
        output_config: { effort: 'high' },
        context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      },
      { 'anthropic-beta': 'one,two' },
    )
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('message_stop')
    expect(response.headers.get('x-backstop-dropped')).toBe('context_management, cache_control, betas')
    const body = chain.backup.requests[0]?.body
    expect(body).toMatchObject({
      reasoning_effort: 'high',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello?\n\nGo on.' },
      ],
    })
    expect(JSON.stringify(body)).not.toMatch(/device_id|billing|context_management|cache_control/)
  })
})

describe('errors', () => {
  test.each([
    ['a slip', { max_tokens: undefined }, 400, Anthropic.BadRequestError, "'max_tokens' is missing"],
    ['an unknown model', { model: 'nobody' }, 404, Anthropic.NotFoundError, 'nobody'],
  ])('are told in their own shape, as their own class: %s', async (_, fields, status, type, message) => {
    await using chain = await startBrokenChain({ second: [GOOD] })
    const body = { ...QUESTION, ...fields } as typeof QUESTION
    const error = await connect(chain.gateway)
      .messages.create(body)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ status, requestID: expect.any(String) })
    expect(String(error)).toContain(message)
  })

  it('are an overloaded service where nothing is available', async () => {
    const upstream = await startUpstream([OVERLOADED])
    open.push(upstream)
    const gateway = await startGateway({
      providers: { a: { baseUrl: upstream.url } },
      models: { chat: { tiers: [['a/m']] } },
    })
    open.push(gateway)
    const response = await ask(gateway, {})
    expect(response.status).toBe(529)
    const told = await response.json()
    expect(told).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error', code: 'no_provider_key', attempts: [] },
      request_id: response.headers.get('request-id'),
    })
  })

  it('tell the limits of every endpoint, and what may be repeated', async () => {
    const limited = errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '60' })
    await using chain = await startBrokenChain({ first: [limited], second: [limited] })
    const error = await connect(chain.gateway)
      .messages.create(QUESTION)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Anthropic.RateLimitError)
    const response = await ask(chain.gateway, {})
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(response.headers.has('retry-after')).toBe(true)
  })

  it('say that a prompt is too long in the words by which agents know it', async () => {
    const tooLong = errorAnswer(400, {
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      code: 'context_length_exceeded',
    })
    await using chain = await startBrokenChain({ first: [tooLong], second: [tooLong] })
    const told = (await (await ask(chain.gateway, {})).json()) as { error: { type: string; message: string } }
    expect(told.error.type).toBe('invalid_request_error')
    expect(told.error.message).toMatch(/^prompt is too long: \d+ tokens > 8192 maximum/)
  })

  it('say so too where every window is known to be too small', async () => {
    const upstream = await startUpstream([GOOD])
    open.push(upstream)
    const small = { endpoint: 'a/m', contextWindow: 50 }
    const gateway = await startGateway(configOf({ a: upstream.url }, [[small]]))
    open.push(gateway)
    const messages = [{ role: 'user', content: 'word '.repeat(400) }]
    const told = (await (await ask(gateway, { messages })).json()) as { error: { message: string } }
    expect(told.error.message).toMatch(/^prompt is too long: \d{3} tokens > 50 maximum/)
    expect(upstream.calls()).toBe(0)
  })

  test.each([
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools'],
    [{ mcp_servers: [{ type: 'url', url: 'https://x.example' }] }, 'mcp_servers'],
  ])('name what only a native endpoint can do: %j', async (fields, param) => {
    await using chain = await startBrokenChain({ second: [GOOD] })
    const response = await ask(chain.gateway, fields)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { code: 'no_capable_endpoint', message: expect.stringContaining(`not_native: ${param}`) },
    })
  })
})

describe('beside the messages', () => {
  it('tokens are counted by an estimate, two dozen times at once', async () => {
    await using chain = await startBrokenChain({ second: [GOOD] })
    const { messages } = connect(chain.gateway)
    const { max_tokens: _, ...counted } = QUESTION
    const counts = await Promise.all(
      Array.from({ length: 24 }, () => messages.countTokens({ ...counted, tools: TOOLS })),
    )
    expect(new Set(counts.map(({ input_tokens: tokens }) => tokens)).size).toBe(1)
    expect(counts[0]?.input_tokens).toBeGreaterThan(10)
    expect(chain.backup.calls()).toBe(0)
  })

  it('models are listed in the shape of the API', async () => {
    await using chain = await startBrokenChain({ second: [GOOD] })
    const client = connect(chain.gateway)
    const page = await client.models.list()
    expect(page.data).toMatchObject([{ type: 'model', id: 'chat', display_name: 'chat' }])
    expect(page.has_more).toBe(false)
    expect(await client.models.retrieve('chat')).toMatchObject({ type: 'model', id: 'chat' })
  })

  test.each(['/', '/api/hello'])('HEAD %s tells that the gateway is there', async path => {
    await using chain = await startBrokenChain({ second: [GOOD] })
    expect((await fetch(`${chain.gateway.url}${path}`, { method: 'HEAD' })).status).toBe(200)
  })

  it('an answer that came whole is translated like any other', async () => {
    await using chain = await startBrokenChain({ second: [chatCompletion('Hi.')] })
    const stream = connect(chain.gateway).messages.stream(QUESTION)
    expect(textOf(await stream.finalMessage())).toBe('Hi.')
  })

  it('thoughts are shown where they are asked for', async () => {
    const chunks = [
      chatChunk({ reasoning_content: 'Hm.' }),
      chatChunk({ content: 'Yes.' }),
      chatChunk({}, 'stop'),
    ]
    await using chain = await startBrokenChain({ second: [streamOf(chunks)] })
    const thinking = { type: 'enabled' as const, budget_tokens: 1_024 }
    const final = await connect(chain.gateway)
      .messages.stream({ ...QUESTION, max_tokens: 2_000, thinking })
      .finalMessage()
    expect(final.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Yes.' },
    ])
  })
})
