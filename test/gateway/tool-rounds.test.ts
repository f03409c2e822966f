import { afterEach, describe, expect, it, test } from 'vitest'
import { ask } from '../support/ask.ts'
import type { UpstreamScript } from '../support/upstreams/answer-script.ts'
import { chatChunk, chatStream, errorAnswer, sseEvent } from '../support/upstreams/chat-bodies.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, createWorld, startGateway, type TestGateway } from '../support/start-gateway.ts'
import { streamOf } from '../support/tool-calls.ts'
import type { HttpAnswer } from '../support/upstreams/upstream-answer.ts'
import type { UpstreamRequest } from '../support/upstreams/upstream-request.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]()
})

const HEADER = 'x-backstop-completed-tool-calls'
const SESSION = { 'x-backstop-session': 'order-4711' }

type Message = { role: string; content: string | null; tool_call_id?: string; tool_calls?: ToolCall[] }
type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } }

const callOf = (id: string): ToolCall => ({
  id,
  type: 'function',
  function: { name: 'send', arguments: '{}' },
})

/** The conversation in its second round: these calls were made, and all of them were answered. */
const secondRound = (ids: readonly string[]): Message[] => [
  { role: 'user', content: 'Send it.' },
  { role: 'assistant', content: null, tool_calls: ids.map(callOf) },
  ...ids.map(id => ({ role: 'tool', tool_call_id: id, content: 'sent' })),
]

const toolStream = (ids: readonly string[]): HttpAnswer =>
  streamOf([
    chatChunk({ role: 'assistant', tool_calls: ids.map((id, index) => ({ index, ...callOf(id) })) }),
    chatChunk({}, 'tool_calls'),
  ])

const down = errorAnswer(503, { message: 'The server is overloaded.' })
const limited = errorAnswer(429, { message: 'Rate limit reached', type: 'rate_limit_error' })
const done = () => chatStream(['Sent.'])

/** Time passes only where an upstream or the gateway waits. */
const clock = createVirtualClock()

async function upstream(script: UpstreamScript): Promise<ScriptedUpstream> {
  const started = await startUpstream(script, { clock })
  open.push(started)
  return started
}

async function gatewayOver(
  upstreams: Record<string, ScriptedUpstream>,
  settings: Record<string, unknown> = {},
  world = createWorld(clock),
  variables: Record<string, string> = {},
): Promise<TestGateway> {
  const urls = Object.fromEntries(Object.entries(upstreams).map(([name, { url }]) => [name, url]))
  const tiers = Object.keys(upstreams).map(name => [`${name}/m`])
  const config = configOf(urls, tiers, { retry_base_ms: 0, ...settings })
  const gateway = await startGateway(config, variables, world)
  open.push(gateway)
  return gateway
}

const toldBy = (request: UpstreamRequest | undefined): unknown => request?.headers[HEADER]

/** An upstream with tools of its own, which runs every call of the conversation that it is not told has run. */
function runsTools(effects: string[], answer: () => HttpAnswer): UpstreamScript {
  return request => {
    const told = String(toldBy(request) ?? '').split(',')
    const { messages } = request.body as unknown as { messages: Message[] }
    const calls = messages.flatMap(({ tool_calls: made }) => made ?? [])
    effects.push(...calls.map(({ id }) => id).filter(id => !told.includes(id)))
    return answer()
  }
}

describe.each([true, false])('a conversation of two rounds, streamed: %s', stream => {
  /** Asks, runs the tool that is called, and asks again with its result, while the first endpoint breaks. */
  async function converse(headers: Record<string, string>, settings: Record<string, unknown> = {}) {
    const effects: string[] = []
    const primary = await upstream([toolStream(['call_1']), down])
    const backup = await upstream(runsTools(effects, done))
    const gateway = await gatewayOver({ a: primary, b: backup }, settings)
    const first = await ask(gateway, { stream }, headers)
    expect([first.status, first.headers.get('x-backstop-attempts')]).toEqual([200, '1'])
    // The client runs the tool.
    effects.push('call_1')
    const second = await ask(gateway, { stream, messages: secondRound(['call_1']) }, headers)
    return { second, effects, primary, backup }
  }

  it('has its side effect once where its second round fails over, with a session', async () => {
    const { second, effects, primary, backup } = await converse(SESSION)
    expect([second.content, second.headers.get('x-backstop-served-by')]).toEqual(['Sent.', 'b/m'])
    expect(effects).toEqual(['call_1'])
    expect([...primary.requests.slice(1), ...backup.requests].map(toldBy)).toEqual([
      'call_1',
      'call_1',
      'call_1',
    ])
    for (const { headers } of [...primary.requests, ...backup.requests]) {
      expect(headers).not.toHaveProperty('x-backstop-session')
    }
  })

  it('fails at once without one, and says what to send', async () => {
    const { second, effects, primary, backup } = await converse({})
    expect([second.status, second.error?.code]).toEqual([502, 'tool_round_failed'])
    expect(second.error?.message).toContain('x-backstop-session')
    expect(second.headers.get('x-should-retry')).toBe('false')
    expect(second.headers.get('retry-after')).toBeNull()
    expect([primary.calls(), backup.calls(), effects]).toEqual([2, 0, ['call_1']])
  })

  it('falls back without one where its owner does not mind, and nobody is told what has run', async () => {
    const { second, effects } = await converse({}, { tool_retries: 'lenient' })
    expect([second.content, effects]).toEqual(['Sent.', ['call_1', 'call_1']])
  })
})

describe('where calls that were turned away may move on', () => {
  const rule = { tool_retries: 'turned_away' }

  it('calls the next endpoint after a limit, and ends at a failure behind which somebody may have worked', async () => {
    const backup = await upstream([done()])
    const gateway = await gatewayOver({ a: await upstream([limited, down]), b: backup }, rule)
    const messages = secondRound(['call_1'])
    expect((await ask(gateway, { messages })).content).toBe('Sent.')
    const broken = await gatewayOver({ a: await upstream([down]), b: backup }, rule)
    expect((await ask(broken, { messages })).error?.code).toBe('tool_round_failed')
    expect(backup.calls()).toBe(1)
  })

  it('tells of the limit itself where every endpoint has one', async () => {
    const gateway = await gatewayOver({ a: await upstream([limited]), b: await upstream([limited]) }, rule)
    const answer = await ask(gateway, { messages: secondRound(['call_1']) })
    expect([answer.status, answer.error?.code, answer.headers.get('x-backstop-attempts')]).toEqual([
      429,
      'rate_limit_exceeded',
      '2',
    ])
  })
})

describe('a first round', () => {
  it('is one that asks anew after tools have run: it falls back freely, and tells what has run', async () => {
    const backup = await upstream([done()])
    const gateway = await gatewayOver({ a: await upstream([down]), b: backup })
    const messages = [
      ...secondRound(['call_1']),
      { role: 'assistant', content: 'Sent.' },
      { role: 'user', content: 'And now?' },
    ]
    expect((await ask(gateway, { messages })).content).toBe('Sent.')
    expect((await ask(gateway, { messages }, SESSION)).content).toBe('Sent.')
    expect(backup.requests.map(toldBy)).toEqual([undefined, 'call_1'])
  })

  it('falls back freely, although it offers tools', async () => {
    const gateway = await gatewayOver({
      a: await upstream([down]),
      b: await upstream([toolStream(['call_1'])]),
    })
    const tools = [{ type: 'function', function: { name: 'send', parameters: {} } }]
    expect((await ask(gateway, { tools })).status).toBe(200)
  })

  it('costs no call of the table for a session', async () => {
    const world = createWorld(clock)
    const { store } = world
    const gateway = await gatewayOver({ a: await upstream([done()]) }, {}, world)
    expect((await ask(gateway, {}, SESSION)).status).toBe(200)
    expect([store.calls('readSession'), store.calls('putSession')]).toEqual([0, 0])
  })
})

describe('what has run', () => {
  it('is told by every attempt: parallel calls, and those of rounds before that the client has dropped', async () => {
    const backup = await upstream([done()])
    const gateway = await gatewayOver({ a: await upstream([down]), b: backup })
    await ask(gateway, { messages: secondRound(['call_1', 'call_2']) }, SESSION)
    await ask(gateway, { messages: secondRound(['call_3']) }, SESSION)
    expect(backup.requests.map(toldBy)).toEqual(['call_1,call_2', 'call_1,call_2,call_3'])
  })

  it('is that of the session alone, although ids repeat', async () => {
    const primary = await upstream([done()])
    const clients = { BACKSTOP_CLIENT_KEYS: 'one,two' }
    const gateway = await gatewayOver({ a: primary }, {}, undefined, clients)
    const one = { 'x-api-key': 'one' }
    await ask(gateway, { messages: secondRound(['call_0', 'call_1']) }, { ...SESSION, ...one })
    await ask(gateway, { messages: secondRound(['call_0']) }, { 'idempotency-key': 'another', ...one })
    await ask(gateway, { messages: secondRound(['call_0']) }, { ...SESSION, 'x-api-key': 'two' })
    expect(primary.requests.map(toldBy)).toEqual(['call_0,call_1', 'call_0', 'call_0'])
  })

  it('is passed on from a client that keeps its own record, and lets its rounds fall back', async () => {
    const backup = await upstream([done()])
    const gateway = await gatewayOver({ a: await upstream([down]), b: backup })
    const answer = await ask(gateway, { messages: secondRound(['call_2']) }, { [HEADER]: 'call_1' })
    expect([answer.status, backup.requests.map(toldBy)]).toEqual([200, ['call_1,call_2']])
  })

  it('fits a header, whatever ids a client makes up', async () => {
    const primary = await upstream([done()])
    const gateway = await gatewayOver({ a: primary })
    const ids = Array.from({ length: 300 }, (_, index) => `call_${index}_long`)
    ids.push('naïve, isn’t it\r\nx-evil: 1')
    expect((await ask(gateway, { messages: secondRound(ids) }, SESSION)).status).toBe(200)
    const told = String(toldBy(primary.requests[0]))
    expect(told.length).toBeLessThanOrEqual(4_096)
    expect(primary.requests[0]?.headers).not.toHaveProperty('x-evil')
    expect(told).toMatch(/^[\x21-\x7e]+,call_299_long,na%C3%AFve%2C%20isn%E2%80%99t%20it%0D%0Ax-evil:%201$/)
  })

  it('is kept where the same round is sent twice at once, and both are answered', async () => {
    const world = createWorld(clock)
    const primary = await upstream([done()])
    const gateway = await gatewayOver({ a: primary }, {}, world)
    const messages = secondRound(['call_1', 'call_2'])
    const answers = await Promise.all([1, 2].map(() => ask(gateway, { messages }, SESSION)))
    expect(answers.map(({ content }) => content)).toEqual(['Sent.', 'Sent.'])
    await ask(gateway, { messages: secondRound(['call_3']) }, SESSION)
    expect(toldBy(primary.requests.at(-1))).toBe('call_1,call_2,call_3')
  })

  it('is told from the messages alone while the table is away', async () => {
    const world = createWorld(clock)
    const { store } = world
    const backup = await upstream([done()])
    const gateway = await gatewayOver({ a: await upstream([down]), b: backup }, {}, world)
    store.fail('refuse')
    const answer = await ask(gateway, { messages: secondRound(['call_1']) }, SESSION)
    expect([answer.status, backup.requests.map(toldBy)]).toEqual([200, ['call_1']])
    store.fail(null)
  })
})

describe('a round that is sent once', () => {
  test.each([
    ['a limit', limited, 429, 'tool_round_limited'],
    [
      'an error inside a 200',
      streamOf([{ error: { message: 'Overloaded', code: 503 } }]),
      502,
      'tool_round_failed',
    ],
    ['a cut', { status: 200, chunks: [sseEvent(chatChunk({ content: 'Se' }))] }, 502, 'tool_round_failed'],
  ] as const)('ends with the failure’s own status: %s', async (_, failure, status, code) => {
    const backup = await upstream([done()])
    const gateway = await gatewayOver({ a: await upstream([failure]), b: backup })
    const answer = await ask(gateway, { messages: secondRound(['call_1']) })
    expect([answer.status, answer.error?.code, backup.calls()]).toEqual([status, code, 0])
  })

  it('has all the time there is, because nobody else may be asked, and ends with 504 after it', async () => {
    const silent = await upstream([{ status: 200, chunks: [], end: 'silence' }])
    const backup = await upstream([done()])
    const gateway = await gatewayOver(
      { a: silent, b: backup },
      { first_output_timeout_ms: 50, first_byte_deadline_ms: 150 },
    )
    const answer = await ask(gateway, { messages: secondRound(['call_1']) })
    expect([answer.status, answer.error?.code, backup.calls()]).toEqual([504, 'tool_round_timeout', 0])
    expect(answer.headers.get('x-should-retry')).toBe('false')
  })

  it('says what to send also where nobody else was left to ask', async () => {
    const limited = errorAnswer(429, { message: 'Rate limit reached' }, { 'retry-after': '5' })
    const gateway = await gatewayOver({ a: await upstream([limited]) })
    const answer = await ask(gateway, { messages: secondRound(['call_1']) })
    expect([answer.status, answer.error?.code]).toEqual([429, 'tool_round_limited'])
    expect(answer.error?.message).toContain('x-backstop-session')
    expect(answer.headers.get('x-should-retry')).toBe('false')
  })

  it('tries the next key of the provider: the first one was refused at the door', async () => {
    const primary = await upstream(request =>
      request.headers.authorization === 'Bearer sk-good-key-2222' ? done() : limited,
    )
    const gateway = await startGateway(
      { providers: { a: { baseUrl: primary.url } }, models: { chat: { tiers: [['a/m']] } } },
      { A_API_KEY: 'sk-dead-key-1111,sk-good-key-2222' },
    )
    open.push(gateway)
    expect((await ask(gateway, { messages: secondRound(['call_1']) })).content).toBe('Sent.')
    expect(primary.calls()).toBe(2)
  })

  it('goes on a connection of its own, which cannot have gone stale', async () => {
    const primary = await upstream([done(), { fault: 'reset-reused-socket', otherwise: done() }])
    const gateway = await gatewayOver({ a: primary })
    await ask(gateway)
    await expect.poll(() => gateway.completed.length).toBe(1)
    expect((await ask(gateway, { messages: secondRound(['call_1']) })).content).toBe('Sent.')
    expect(primary.requests.map(({ reusedSocket }) => reusedSocket)).toEqual([false, false])
    expect(primary.calls()).toBe(2)
  })
})
