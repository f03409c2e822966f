import { OpenAI } from 'openai'
import { describe, expect, it, test } from 'vitest'
import { chatChunk, chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import type { TestGateway } from '../../support/start-gateway.ts'
import { CALLS, indexlessToolStream, streamOf } from '../../support/tool-calls.ts'
import { BROKEN, startBrokenChain } from '../../support/broken-chain.ts'

const connect = ({ url }: TestGateway, headers: Record<string, string> = {}) =>
  new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, defaultHeaders: headers })

/** Tool results go back with a session id: without one, a later round would not be allowed to fall back. */
const SESSION = { 'x-backstop-session': 'session-of-a-test' }
const QUESTION = { model: 'chat', input: 'Hello?' }
const TOOLS: OpenAI.Responses.Tool[] = [
  {
    type: 'function',
    name: 'weather',
    strict: true,
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
]
const GOOD = chatStream(['Grüß ', 'Gott ', '👋'], { model: 'backup-2' })

describe.each(BROKEN)('the official client, where the first endpoint $name', ({ answer }) => {
  it('gets a whole answer', async () => {
    await using chain = await startBrokenChain({ first: [answer], isNative: true, second: [GOOD] })
    const { data, response } = await connect(chain.gateway).responses.create(QUESTION).withResponse()
    expect(data).toMatchObject({ status: 'completed', output_text: 'Grüß Gott 👋', store: false })
    expect(data.usage).toMatchObject({ input_tokens: 5, output_tokens: 3, total_tokens: 8 })
    expect(response.headers.get('x-backstop-served-by')).toBe('backup/backup')
    // At its defaults the client repeats what fails: there was nothing to repeat.
    await chain.gateway.settled()
    expect(chain.gateway.completed).toHaveLength(1)
  })

  it('gets a streamed answer', async () => {
    await using chain = await startBrokenChain({ first: [answer], isNative: true, second: [GOOD] })
    const stream = connect(chain.gateway).responses.stream(QUESTION)
    let text = ''
    stream.on('response.output_text.delta', ({ delta }) => void (text += delta))
    const final = await stream.finalResponse()
    expect(text).toBe('Grüß Gott 👋')
    expect(final.output_text).toBe(text)
  })

  it('calls tools over two rounds', async () => {
    await using chain = await startBrokenChain({
      first: [answer],
      isNative: true,
      second: [indexlessToolStream(), chatStream(['It rains.'])],
    })
    const client = connect(chain.gateway, SESSION)
    const first = await client.responses.stream({ ...QUESTION, tools: TOOLS }).finalResponse()
    const calls = first.output.filter(item => item.type === 'function_call')
    expect(calls.map(call => ({ id: call.call_id, name: call.name, arguments: call.arguments }))).toEqual(
      CALLS,
    )
    const results = calls.map(call => ({
      type: 'function_call_output' as const,
      call_id: call.call_id,
      output: 'rain',
    }))
    const input = [{ role: 'user' as const, content: 'Hello?' }, ...calls, ...results]
    const second = await client.responses.create({ ...QUESTION, input, tools: TOOLS })
    expect(second.output_text).toBe('It rains.')
    expect(chain.backup.requests[1]?.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: CALLS.map(({ id }) => ({ id })) },
      { role: 'tool', tool_call_id: 'call_rome', content: 'rain' },
      { role: 'tool', tool_call_id: 'call_bern', content: 'rain' },
    ])
  })

  it('gets structured output', async () => {
    await using chain = await startBrokenChain({
      first: [answer],
      isNative: true,
      second: [chatStream(['{"sky":', '"blue"}'])],
    })
    const format = {
      type: 'json_schema' as const,
      name: 'weather',
      schema: { type: 'object', properties: { sky: { type: 'string' } } },
      strict: true,
    }
    const parsed = await connect(chain.gateway).responses.parse({ ...QUESTION, text: { format } })
    expect(parsed.output_parsed).toEqual({ sky: 'blue' })
    expect(chain.backup.requests[0]?.body.response_format).toMatchObject({ json_schema: { name: 'weather' } })
  })
})

describe('a streamed answer', () => {
  it('that is cut never looks like success', async () => {
    const cut = chatStream(['Half an ', 'answer'], { finish: null })
    await using chain = await startBrokenChain({ first: [cut], second: [GOOD] })
    const stream = await connect(chain.gateway).responses.create({ ...QUESTION, stream: true })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    expect(types.at(-1)).toBe('response.failed')
    expect(types).not.toContain('response.completed')
    await expect(connect(chain.gateway).responses.create(QUESTION)).resolves.toMatchObject({
      status: 'completed',
    })
  })

  it('cuts the connection of a client that takes a failed answer for an answer', async () => {
    const cut = chatStream(['Half an ', 'answer'], { finish: null })
    await using chain = await startBrokenChain({ first: [cut], second: [GOOD] })
    const client = connect(chain.gateway, { 'user-agent': 'langchainjs-openai/1.5.0' })
    const stream = await client.responses.create({ ...QUESTION, stream: true })
    const read = async (): Promise<void> => {
      for await (const event of stream) expect(event.type).not.toBe('response.completed')
    }
    await expect(read()).rejects.toThrow(/terminated|closed|aborted|premature/i)
    await chain.gateway.settled()
    expect(chain.gateway.completed.map(({ outcome }) => outcome)).toEqual(['cut'])
    expect(chain.gateway.handlerErrors).toEqual([])
  })

  it.each([
    ['length', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
    ['content_filter', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
  ])('that ends by %s is incomplete', async (finish, expected) => {
    await using chain = await startBrokenChain({ second: [chatStream(['Some'], { finish })] })
    const final = await connect(chain.gateway).responses.stream(QUESTION).finalResponse()
    expect(final).toMatchObject({ ...expected, output_text: 'Some' })
  })

  it('shows thoughts as a summary', async () => {
    const chunks = [
      chatChunk({ reasoning_content: 'Hm.' }),
      chatChunk({ content: 'Yes.' }),
      chatChunk({}, 'stop'),
    ]
    await using chain = await startBrokenChain({ second: [streamOf(chunks)] })
    const final = await connect(chain.gateway).responses.stream(QUESTION).finalResponse()
    expect(final.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Hm.' }] },
      { type: 'message' },
    ])
  })
})

describe('what is left out', () => {
  it('is named in a header', async () => {
    await using chain = await startBrokenChain({ second: [GOOD] })
    const tools: OpenAI.Responses.Tool[] = [...TOOLS, { type: 'web_search' }]
    const asked = connect(chain.gateway)
      .responses.create({ ...QUESTION, tools })
      .withResponse()
    const { response } = await asked
    expect(response.headers.get('x-backstop-dropped')).toBe('tools.web_search')
    expect(response.headers.get('access-control-expose-headers') ?? 'x-backstop-dropped').toContain('dropped')
  })
})

describe('errors', () => {
  const OVERLOADED = errorAnswer(503, { message: 'The model is overloaded.' })
  const limitedFor = (seconds: string) =>
    errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': seconds })

  test.each([
    ['OpenAI/JS 7.59', 502, { code: 'upstream_failed' }, true],
    ['codex_exec/0.171.0', 503, { code: 'server_is_overloaded', reason: 'upstream_failed' }, false],
  ])('are told %s so that it stops', async (userAgent, status, error, hasWait) => {
    await using chain = await startBrokenChain({ first: [OVERLOADED], second: [OVERLOADED] })
    const response = await fetch(`${chain.gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': userAgent },
      body: JSON.stringify(QUESTION),
    })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { ...error, attempts: [{}, {}] } })
    expect(response.headers.has('retry-after')).toBe(hasWait)
  })

  test.each([
    // Told to wait for two seconds, it would do so thirty times.
    ['overloaded', OVERLOADED, { status: 503, code: 'server_is_overloaded', wait: null }],
    ['limited for long', limitedFor('60'), { status: 429, code: 'rate_limit_exceeded', wait: null }],
    ['limited for a moment', limitedFor('9'), { status: 429, code: 'rate_limit_exceeded', wait: '9' }],
  ])('are told Codex, once more, where everything is %s', async (_, answer, { status, code, wait }) => {
    await using chain = await startBrokenChain({ first: [answer], second: [answer] })
    const ask = () =>
      fetch(`${chain.gateway.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'codex_exec/0.171.0' },
        body: JSON.stringify(QUESTION),
      })
    await (await ask()).text()
    const response = await ask()
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code } })
    expect(response.headers.get('retry-after')).toBe(wait)
  })

  test.each([
    [{ model: 'chat' }, "'input' is missing"],
    [{ model: 'chat', input: [] }, "'input' is "],
    [{ model: 'chat', input: 'Hi', include: 'all' }, "'include' is not valid"],
  ])('name the field at fault: %j', async (body, message) => {
    await using chain = await startBrokenChain({ second: [GOOD] })
    const response = await fetch(`${chain.gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_request', message: expect.stringContaining(message) },
    })
  })
})
