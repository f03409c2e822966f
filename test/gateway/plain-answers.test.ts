import { afterEach, describe, expect, it } from 'vitest'
import { quotaKey, type QuotaKey } from '../../lambdas/core/item-keys.ts'
import { ask, type Answer } from '../support/ask.ts'
import { createWorld, startGateway } from '../support/start-gateway.ts'
import { chatCompletion, chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import type { UpstreamAnswer } from '../support/upstreams/upstream-answer.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'

const stack: AsyncDisposable[] = []
const open = <Opened extends AsyncDisposable>(opened: Opened): Opened => (stack.push(opened), opened)
afterEach(async () => {
  for (const opened of stack.splice(0).toReversed()) await opened[Symbol.asyncDispose]()
})

/** So many answers, and their times, make an endpoint known as a prompt one. */
const KNOWN = 50
const WORDS = 'all well'
const STREAM = { ...chatStream(['all ', 'well']), firstChunkDelayMs: 300 }
const QUESTION = { stream: false }
const PRICE = { input: 20, output: 100 }

/** A gateway whose first endpoint is known to be prompt, and says this when it is asked plainly; a second one behind it. */
async function startKnown(
  plain: () => UpstreamAnswer,
  more: { settings?: object; tiers?: string[][]; provider?: object } = {},
) {
  const world = createWorld()
  const { clock } = world
  const now: { stream: UpstreamAnswer } = { stream: STREAM }
  const upstream = open(
    await startUpstream(({ body }) => (body.stream === true ? now.stream : plain()), { clock }),
  )
  const other = open(await startUpstream(() => chatStream(['another']), { clock }))
  const { settings = {}, tiers = [['up/m'], ['other/m']], provider = {} } = more
  const config = {
    providers: {
      up: { baseUrl: upstream.url, key: false, ...provider },
      other: { baseUrl: other.url, key: false },
    },
    models: { chat: { tiers: tiers.map(tier => tier.map(endpoint => ({ endpoint, price: PRICE }))) } },
    settings,
  }
  const gateway = open(await startGateway(config, {}, world))
  async function request(more: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await ask(gateway, { ...QUESTION, ...more }, headers)
    await gateway.settled()
    return answer
  }
  for (let count = 0; count < KNOWN; count += 1) {
    expect((await request()).content).toBe(WORDS)
    clock.pass(10_000)
  }
  expect(upstream.requests.every(({ body }) => body.stream === true)).toBe(true)
  const before = upstream.calls()
  return {
    clock,
    now,
    request,
    calls: upstream.calls,
    line: () => gateway.completed.at(-1),
    quotas: (key: QuotaKey) => world.store.quotaAt(key),
    endpoints: async () => (await fetch(`${gateway.url}/v1/endpoints`)).text(),
    attempts: () =>
      gateway.completed
        .at(-1)
        ?.attempts.map(({ endpoint, outcome, durationMs }) => [endpoint, outcome, durationMs]),
    /** How it was asked since. */
    asked: () =>
      upstream.requests.slice(before).map(({ body }) => (body.stream === true ? 'stream' : 'plain')),
  }
}

describe('a whole answer of an endpoint that has been prompt', () => {
  it('is asked for as one, and as a stream where the client streams', async () => {
    const { request, asked } = await startKnown(() => chatCompletion(WORDS))
    expect((await request()).content).toBe(WORDS)
    expect((await request({ stream: true })).content).toBe(WORDS)
    expect(asked()).toEqual(['plain', 'stream'])
  })

  it.each([
    [
      'refuses to answer but in streams',
      errorAnswer(400, { message: 'This model only supports stream mode.' }),
    ],
    ['refuses it without a reason', errorAnswer(400, { message: 'Bad request.' })],
    ['breaks at it', errorAnswer(500, { message: 'Internal error.' })],
    ['answers with nothing', { status: 200, body: {} }],
  ])('comes as a stream from a host that %s', async (_, plain) => {
    const { request, asked, clock } = await startKnown(() => plain)
    expect((await request()).content).toBe(WORDS)
    expect((await request()).content).toBe(WORDS)
    expect(asked()).toEqual(['plain', 'stream', 'stream'])
    clock.pass(15 * 60_000)
    expect((await request()).content).toBe(WORDS)
    expect(asked().slice(3)).toEqual(['plain', 'stream'])
  })

  it('comes as a stream where it is longer than all before it, and nobody is blamed', async () => {
    const { request, asked, attempts } = await startKnown(() => ({ fault: 'no-response' }))
    expect((await request()).content).toBe(WORDS)
    expect(attempts()).toEqual([
      ['up/m', 'timeout', 2_000],
      ['up/m', 'ok', 300],
    ])
    expect((await request()).content).toBe(WORDS)
    expect(asked()).toEqual(['plain', 'stream', 'stream'])
  })

  it('comes from another endpoint where this one is silent, and later ones notice it as soon as ever', async () => {
    const { now, request, attempts } = await startKnown(() => ({ fault: 'no-response' }))
    now.stream = { fault: 'no-response' }
    expect((await request()).content).toBe('another')
    expect(attempts()).toEqual([
      ['up/m', 'timeout', 2_000],
      ['up/m', 'timeout', 2_000],
      ['other/m', 'ok', 0],
    ])
  })

  it('is not asked for twice where the request may arrive only once', async () => {
    const { request, asked } = await startKnown(() => errorAnswer(500, { message: 'Internal error.' }))
    const call = { id: 'call_1', type: 'function', function: { name: 'pay', arguments: '{}' } }
    const messages = [
      { role: 'user', content: 'Pay.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'paid' },
    ]
    expect((await request({ messages })).content).toBe(WORDS)
    expect(asked()).toEqual(['stream'])
  })

  it.each<[string, UpstreamAnswer]>([
    ['in the body', { ...chatCompletion(WORDS), end: 'destroy' }],
    ['before the headers', { fault: 'close-before-headers' }],
  ])('comes as a stream where the connection of a plain one breaks %s', async (_, plain) => {
    const { request, attempts, clock } = await startKnown(() => plain)
    expect((await request()).content).toBe(WORDS)
    expect(attempts()?.map(([endpoint, outcome]) => `${endpoint} ${outcome}`)).toEqual([
      'up/m network',
      'up/m ok',
    ])
    clock.pass(20_000)
    expect((await request()).content).toBe(WORDS)
    expect(attempts()).toHaveLength(1)
  })

  it.each([2_200, 800])(
    'is streamed where %d ms are left, which a plain call could use up',
    async deadline => {
      const settings = { first_byte_deadline_ms: deadline }
      const { request, asked } = await startKnown(() => ({ fault: 'no-response' }), {
        settings,
        tiers: [['up/m']],
      })
      expect((await request()).content).toBe(WORDS)
      expect(asked()).toEqual(['stream'])
    },
  )

  it.each([{ first_output_timeout_ms: 5_000 }, { first_output_adaptive_disabled: true }])(
    'is held against nobody where it is late, also with %j',
    async settings => {
      const { request, asked, endpoints } = await startKnown(() => ({ fault: 'no-response' }), {
        settings,
        tiers: [['up/m']],
      })
      expect((await request()).content).toBe(WORDS)
      expect(asked()).toEqual(['plain', 'stream'])
      expect(JSON.parse(await endpoints()).data[0]).toMatchObject({ failures: 0, last_failure: null })
    },
  )

  it('is streamed where the client affords no second call', async () => {
    const { request, asked } = await startKnown(() => errorAnswer(500, { message: 'Internal error.' }))
    expect((await request({}, { 'x-backstop-retry-token-budget': '0' })).content).toBe(WORDS)
    expect(asked()).toEqual(['stream'])
  })

  it('waits as long as a limit says, and asks for no stream meanwhile', async () => {
    const limited = errorAnswer(429, { message: 'Rate limit reached.' }, { 'retry-after': '20' })
    const { request, asked } = await startKnown(() => limited)
    expect((await request()).content).toBe('another')
    expect((await request()).content).toBe('another')
    expect(asked()).toEqual(['plain'])
  })

  it('counts what a plain call has cost that led to nothing, and the call itself', async () => {
    const provider = { quotas: { requestsPerDay: 10_000 } }
    const { request, line, quotas, calls, clock } = await startKnown(() => ({ fault: 'no-response' }), {
      provider,
    })
    await request()
    expect(line()?.lostDollars).toBeGreaterThan(0)
    for (let more = 0; more < 3; more += 1) {
      clock.pass(5_000)
      await request({ stream: true })
    }
    expect(quotas(quotaKey('up', null, null))['rd_n']).toBe(calls())
  })
})
