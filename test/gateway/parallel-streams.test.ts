import http from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../lambdas/core/json.ts'
import { chatChunk, chatStream, errorAnswer, sseEvent } from '../support/upstreams/chat-bodies.ts'
import { listenOnLoopback } from '../support/upstreams/listen-on-loopback.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { createForgetfulStore } from '../support/tables/memory-store.ts'
import { configOf, startGateway } from '../support/start-gateway.ts'
import type { HttpAnswer, UpstreamAnswer } from '../support/upstreams/upstream-answer.ts'
import type { UpstreamRequest } from '../support/upstreams/upstream-request.ts'

const STREAMS = 200
const SYLLABLES = ['Grüße ', '漢字', '👩‍👩‍👧 ', 'naïve ', 'Ω≈ç√ ', '\u2028', '"quoted\\" ', 'plain ']

/** What the upstream answers to question `n`: a text of its own, in code points of one to four bytes. */
function answerTo(n: number): HttpAnswer {
  const texts = Array.from(
    { length: 20 + (n % 30) },
    (_, word) => `${n}:${word} ${SYLLABLES[(n + word) % 8]}`,
  )
  return chatStream(texts, { model: 'm', usage: null })
}

const bytesOf = ({ chunks = [] }: HttpAnswer): Buffer =>
  Buffer.concat(chunks.map(chunk => Buffer.from('sleepMs' in Object(chunk) ? '' : (chunk as string))))

/** The same bytes, cut into pieces of odd sizes: in the middle of lines, of events, of characters. */
function cutAnew(answer: HttpAnswer, n: number): HttpAnswer {
  const bytes = bytesOf(answer)
  const size = [37, 101, 211, 997][n % 4] ?? 37
  const count = Math.ceil(bytes.length / size)
  const chunks = Array.from({ length: count }, (_, place) => bytes.subarray(place * size, (place + 1) * size))
  return { ...answer, chunks }
}

const questionOf = ({ body }: UpstreamRequest): number => {
  const [message] = body.messages as unknown as readonly JsonObject[]
  return Number(message?.content)
}

const TROUBLES: readonly UpstreamAnswer[] = [
  errorAnswer(503, { message: 'Overloaded.' }),
  { fault: 'reset-before-headers' },
  { ...chatStream([], { finish: null }), end: 'destroy' },
  errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '3600' }),
]

/** Every other question fails here, each in its own way. */
const flaky = (request: UpstreamRequest): UpstreamAnswer => {
  const n = questionOf(request)
  return n % 2 === 0 ? cutAnew(answerTo(n), n) : (TROUBLES[((n - 1) / 2) % TROUBLES.length] ?? {})
}
const steady = (request: UpstreamRequest): UpstreamAnswer =>
  cutAnew(answerTo(questionOf(request)), questionOf(request) + 1)

type Received = { status: number; bytes: Buffer; served: string }

/** Sends one streamed question on a connection of its own; what comes is not read yet. */
function send(url: string, model: string, content: string) {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content }] })
  const { promise: answered, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const options = { method: 'POST', agent: false, headers } as const
  const request = http.request(`${url}/v1/chat/completions`, options, resolve).on('error', reject)
  request.end(body)
  return { answered, leave: () => void request.destroy() }
}

/** Asks question `n`; every third reader takes its time. */
async function readStream(url: string, n: number): Promise<Received> {
  const response = await send(url, n % 4 < 2 ? 'chat' : 'replicas', String(n)).answered
  const parts: Buffer[] = []
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part)
    if (n % 3 === 0) await pause(3)
  }
  const served = String(response.headers['x-backstop-served-by'])
  return { status: response.statusCode ?? 0, bytes: Buffer.concat(parts), served }
}

/** How many resources of each kind keep this process alive. */
function countResources(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** Kinds of which there are more than before; asked again until there are none, for two seconds. */
async function leftOver(before: Record<string, number>): Promise<string[]> {
  let left: string[] = []
  for (let round = 0; round < 100; round += 1) {
    left = Object.entries(countResources()).flatMap(([kind, count]) =>
      count > (before[kind] ?? 0) ? [`${kind}: ${before[kind] ?? 0} > ${count}`] : [],
    )
    if (left.length === 0) return left
    await pause(20)
  }
  return left
}

const warnings: Error[] = []
const note = (warning: Error): void => void warnings.push(warning)
beforeEach(() => void process.on('warning', note))
afterEach(() => {
  process.off('warning', note)
  warnings.length = 0
})

describe('many streams at once', () => {
  test(`keeps every byte of ${STREAMS} answers, and leaves nothing behind`, async () => {
    const before = countResources()
    const upstreams = [await startUpstream(flaky), await startUpstream(steady), await startUpstream(steady)]
    const [first, second, third] = upstreams.map(({ url }) => ({ baseUrl: url, key: false as const }))
    const gateway = await startGateway(
      {
        providers: { first, second, third },
        models: {
          chat: { tiers: [['first/m'], ['second/m']] },
          replicas: { tiers: [['first/m', 'third/m']] },
        },
        settings: { retry_max_attempts: 2 },
      },
      {},
      { store: createForgetfulStore() },
    )
    const questions = Array.from({ length: STREAMS }, (_, n) => n)
    const received = await Promise.all(questions.map(n => readStream(gateway.url, n)))

    const broken = questions.filter(n => !received[n]?.bytes.equals(bytesOf(answerTo(n))))
    expect(broken).toEqual([])
    expect(new Set(received.map(({ status }) => status))).toEqual(new Set([200]))
    const servers = new Set(received.map(({ served }) => served))
    expect([...servers].sort()).toEqual(['first/m', 'second/m', 'third/m'])
    const outcomes = (): string[] => gateway.completed.map(({ outcome }) => outcome)
    await expect.poll(outcomes).toEqual(questions.map(() => 'answered'))
    // Until the instance avoids the one that fails.
    expect(gateway.completed.some(({ attempts }) => attempts.length === 2)).toBe(true)
    expect(gateway.handlerErrors).toEqual([])

    await gateway.close()
    await expect.poll(() => upstreams.map(({ openSockets }) => openSockets)).toEqual([0, 0, 0])
    for (const upstream of upstreams) await upstream.close()
    expect(await leftOver(before)).toEqual([])
    expect(warnings).toEqual([])
  })
})

const EVENT = sseEvent(chatChunk({ content: 'x'.repeat(64 * 1024) }))
const EVENTS = 2_000

/** An upstream that would send 128 MB at once, and counts what it got rid of. */
async function startFlood() {
  const flood = { bytes: 0, ended: 'running' }
  function* events(): Generator<string> {
    for (let sent = 0; sent < EVENTS; sent += 1) {
      flood.bytes += EVENT.length
      yield EVENT
    }
    yield sseEvent(chatChunk({}, 'stop'))
    yield 'data: [DONE]\n\n'
  }
  const server = http.createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    pipeline(Readable.from(events()), response).then(
      () => (flood.ended = 'answered'),
      () => (flood.ended = 'aborted'),
    )
  })
  const port = await listenOnLoopback(server)
  async function close(): Promise<void> {
    const closed = new Promise(resolve => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return { flood, url: `http://127.0.0.1:${port}/v1`, [Symbol.asyncDispose]: close }
}

/** Resolves when nothing has been written for a while: everybody on the way is full. */
async function standstill(flood: { bytes: number }): Promise<void> {
  for (let quiet = 0, seen = -1; quiet < 10; quiet += 1) {
    if (flood.bytes !== seen) quiet = 0
    seen = flood.bytes
    await pause(20)
  }
}

describe('a client that reads nothing', () => {
  test('holds the upstream back, and still gets everything in the end', async () => {
    await using upstream = await startFlood()
    await using gateway = await startGateway(configOf({ first: upstream.url }, [['first/m']]))
    const response = await send(gateway.url, 'chat', 'Everything, please.').answered
    await standstill(upstream.flood)
    expect(upstream.flood.bytes).toBeLessThan((EVENTS * EVENT.length) / 4)
    expect(upstream.flood.ended).toBe('running')

    let bytes = 0
    for await (const part of response as AsyncIterable<Buffer>) bytes += part.length
    const ending = sseEvent(chatChunk({}, 'stop')).length + 'data: [DONE]\n\n'.length
    // The upstream names no role, which clients want.
    const role = ',"role":"assistant"'.length
    expect(bytes).toBe(EVENTS * EVENT.length + role + ending)
    await expect.poll(() => gateway.completed.map(({ outcome }) => outcome)).toEqual(['answered'])
  })

  test('ends the call upstream when it leaves', async () => {
    await using upstream = await startFlood()
    await using gateway = await startGateway(configOf({ first: upstream.url }, [['first/m']]))
    const { answered, leave } = send(gateway.url, 'chat', 'Everything, please.')
    await answered
    await standstill(upstream.flood)
    leave()
    await expect.poll(() => upstream.flood.ended).toBe('aborted')
    await expect.poll(() => gateway.completed.map(({ outcome }) => outcome)).toEqual(['client-left'])
  })
})

describe('a client that leaves', () => {
  test.each([
    { when: 'before the first token', answer: { fault: 'no-response' } },
    { when: 'in mid-stream', answer: { ...chatStream(['one ', 'two'], { finish: null }), end: 'silence' } },
  ] as const)('ends the call upstream $when, and nobody is blamed', async ({ when, answer }) => {
    const before = countResources()
    const upstream = await startUpstream([answer])
    const gateway = await startGateway(
      configOf({ first: upstream.url, second: upstream.url }, [['first/m'], ['second/m']]),
    )
    const { answered, leave } = send(gateway.url, 'chat', 'Hello?')
    const gone = answered.then(
      () => null,
      (error: unknown) => error,
    )
    if (when === 'in mid-stream') await answered
    await expect.poll(() => upstream.calls()).toBe(1)
    leave()
    await gone
    expect(await upstream.requests[0]?.ended).toBe('aborted')
    await expect.poll(() => gateway.completed.map(({ outcome }) => outcome)).toEqual(['client-left'])
    expect(upstream.calls()).toBe(1)
    await expect.poll(() => upstream.openSockets).toBe(0)
    expect(gateway.handlerErrors).toEqual([])
    await gateway.close()
    await upstream.close()
    expect(await leftOver(before)).toEqual([])
  })
})
