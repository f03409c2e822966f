import { afterEach, describe, expect, it } from 'vitest'
import { ask, type Answer } from '../support/ask.ts'
import { configOf, createWorld, startGateway } from '../support/start-gateway.ts'
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

/** A gateway whose first endpoint is known to be prompt, and says this when it is asked plainly; a second one behind it. */
async function startKnown(plain: () => UpstreamAnswer) {
  const world = createWorld()
  const { clock } = world
  const now: { stream: UpstreamAnswer } = { stream: STREAM }
  const upstream = open(
    await startUpstream(({ body }) => (body.stream === true ? now.stream : plain()), { clock }),
  )
  const other = open(await startUpstream(() => chatStream(['another']), { clock }))
  const config = configOf({ up: upstream.url, other: other.url }, [['up/m'], ['other/m']])
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
    expect(attempts()).toEqual([['up/m', 'ok', 2_300]])
    expect((await request()).content).toBe(WORDS)
    expect(asked()).toEqual(['plain', 'stream', 'stream'])
  })

  it('comes from another endpoint where this one is silent, and later ones notice it as soon as ever', async () => {
    const { now, request, attempts } = await startKnown(() => ({ fault: 'no-response' }))
    now.stream = { fault: 'no-response' }
    expect((await request()).content).toBe('another')
    expect(attempts()).toEqual([
      ['up/m', 'timeout', 4_000],
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
})
