import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { RequestOptions } from 'node:https'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { chatCompletion, chatStream, tokens } from './chat-bodies.ts'
import { closedPort } from './closed-port.ts'
import { startUpstream } from './scripted-upstream.ts'
import type { ScriptedUpstream } from './scripted-upstream.ts'
import type { UpstreamAnswer } from './upstream-answer.ts'

type Answer = { status: number; headers: Record<string, unknown>; body: string; error: string | null }

const agent = new Agent({ keepAlive: true })
const upstreams: ScriptedUpstream[] = []

async function start(...parameters: Parameters<typeof startUpstream>): Promise<ScriptedUpstream> {
  const upstream = await startUpstream(...parameters)
  upstreams.push(upstream)
  return upstream
}

afterEach(async () => {
  await Promise.all(upstreams.splice(0).map(upstream => upstream.close()))
})

async function ask(url: string, model = 'm', options: RequestOptions = { agent }): Promise<Answer> {
  const send = url.startsWith('https') ? tlsRequest : httpRequest
  const request = send(`${url}/chat/completions`, { method: 'POST', ...options })
  // A reset after the response began is told twice: by the response and by the request.
  request.on('error', () => {})
  request.end(JSON.stringify({ model }))
  const [response] = await once(request, 'response')
  const pieces: Buffer[] = []
  let error: string | null = null
  response.on('data', (piece: Buffer) => pieces.push(piece))
  response.on('error', ({ code }: NodeJS.ErrnoException) => (error = code ?? 'unknown'))
  await new Promise(resolve => response.once('close', resolve))
  const bytes = Buffer.concat(pieces)
  const body = response.headers['content-encoding'] === 'gzip' && !error ? gunzipSync(bytes) : bytes
  return { status: response.statusCode, headers: response.headers, body: body.toString(), error }
}

const failureOf = (asked: Promise<Answer>): Promise<string> =>
  asked.then(
    ({ status }) => `answered ${status}`,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  )

describe('a script', () => {
  test('as a list answers by call number, the last one again and again', async () => {
    const upstream = await start([{ status: 503 }, { status: 500 }, chatCompletion('hi')])
    const statuses = []
    for (let call = 0; call < 4; call++) statuses.push((await ask(upstream.url)).status)
    expect(statuses).toEqual([503, 500, 200, 200])
    expect(upstream.calls()).toBe(4)
  })

  test('as a function sees the request and the call number', async () => {
    const upstream = await start(({ body }, callNumber) => ({ body: `${body.model} ${callNumber}` }))
    await ask(upstream.url, 'first')
    expect((await ask(upstream.url, 'second')).body).toBe('second 2')
  })

  test('as a map answers by model, and knows no other model', async () => {
    const upstream = await start({ good: [chatCompletion('hi')], bad: [{ status: 429 }] })
    expect((await ask(upstream.url, 'good')).status).toBe(200)
    expect((await ask(upstream.url, 'bad')).status).toBe(429)
    expect((await ask(upstream.url, 'gone')).body).toContain('model_not_found')
    expect(upstream.calls('bad')).toBe(1)
  })

  test('can be replaced while the server runs', async () => {
    const upstream = await start([{ status: 500 }])
    await ask(upstream.url)
    upstream.play([chatCompletion('hi')])
    expect((await ask(upstream.url)).status).toBe(200)
  })
})

describe('an answer', () => {
  test('records what was asked', async () => {
    const upstream = await start([chatCompletion('hi')])
    await ask(upstream.url, 'm', { agent, headers: { authorization: 'Bearer key' } })
    const [request] = upstream.requests
    expect(request).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer key' },
      body: { model: 'm' },
      reusedSocket: false,
    })
    expect(await request?.ended).toBe('answered')
  })

  test.each<[string, UpstreamAnswer, Partial<Answer>]>([
    ['JSON', { body: { a: 1 } }, { status: 200, body: '{"a":1}', error: null }],
    ['text', { status: 502, body: 'bad gateway' }, { status: 502, body: 'bad gateway', error: null }],
    ['compressed JSON', { body: { a: 1 }, gzip: true }, { body: '{"a":1}', error: null }],
    ['chunks', { chunks: ['a', 'b'], gapMs: 1 }, { body: 'ab', error: null }],
    ['compressed chunks', { chunks: ['a', 'b'], gzip: true }, { body: 'ab', error: null }],
    [
      'chunks, then a closed socket',
      { chunks: ['a', 'b'], end: 'destroy' },
      { body: 'ab', error: 'ECONNRESET' },
    ],
    ['chunks, then a reset', { chunks: ['a', 'b'], end: 'reset' }, { body: 'ab', error: 'ECONNRESET' }],
    ['half a body', { body: 'abcd', end: 'destroy' }, { body: 'ab', error: 'ECONNRESET' }],
    [
      'late everything',
      { chunks: ['a'], headersDelayMs: 1, firstChunkDelayMs: 1, endDelayMs: 1 },
      { body: 'a' },
    ],
  ])('can be %s', async (_, answer, expected) => {
    const upstream = await start([answer])
    expect(await ask(upstream.url)).toMatchObject(expected)
  })

  test('that falls silent ends when the caller leaves, which is seen', async () => {
    const upstream = await start([{ ...chatStream(['Hel']), end: 'silence' }])
    const request = httpRequest(`${upstream.url}/chat/completions`, { method: 'POST' })
    request.end()
    const [response] = await once(request, 'response')
    await once(response, 'data')
    request.destroy()
    expect(await upstream.requests[0]?.ended).toBe('aborted')
  })
})

describe('a fault', () => {
  test.each<[string, UpstreamAnswer, string]>([
    ['a reset before headers', { fault: 'reset-before-headers' }, 'ECONNRESET'],
    ['a close before headers', { fault: 'close-before-headers' }, 'ECONNRESET'],
    ['headers cut short', { fault: 'cut-headers' }, 'ECONNRESET'],
    ['another protocol', { fault: 'not-http' }, 'HPE_INVALID_CONSTANT'],
  ])('can be %s', async (_, answer, code) => {
    const upstream = await start([answer])
    expect(await failureOf(ask(upstream.url))).toBe(code)
    expect(await upstream.requests[0]?.ended).toBe('cut')
  })

  test('can be no response at all', async () => {
    const upstream = await start([{ fault: 'no-response' }])
    const signal = AbortSignal.timeout(20)
    expect(await failureOf(ask(upstream.url, 'm', { signal }))).toBe('ABORT_ERR')
  })

  test('can be a kept connection that has gone stale', async () => {
    const upstream = await start([{ fault: 'reset-reused-socket', otherwise: chatCompletion('hi') }])
    expect(await failureOf(ask(upstream.url))).toBe('answered 200')
    expect(await failureOf(ask(upstream.url))).toBe('ECONNRESET')
    expect(await failureOf(ask(upstream.url))).toBe('answered 200')
    expect(upstream.requests.map(request => request.reusedSocket)).toEqual([false, true, false])
    expect(upstream.acceptedSockets).toBe(2)
  })

  test('can be a port that nothing listens on', async () => {
    expect(await failureOf(ask(`http://127.0.0.1:${await closedPort()}`))).toBe('ECONNREFUSED')
  })
})

describe('TLS', () => {
  test('is refused by a caller who does not know the certificate', async () => {
    const upstream = await start([chatCompletion('hi')], { tls: true })
    expect(await failureOf(ask(upstream.url, 'm', {}))).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
    expect(upstream.calls()).toBe(0)
  })

  test('works for a caller who does', async () => {
    const upstream = await start([chatCompletion('hi')], { tls: true })
    const ca = upstream.certificate ?? ''
    expect(await failureOf(ask(upstream.url, 'm', { ca }))).toBe('answered 200')
  })

  test('can be reset', async () => {
    const upstream = await start([{ fault: 'reset-before-headers' }], { tls: true })
    const ca = upstream.certificate ?? ''
    expect(await failureOf(ask(upstream.url, 'm', { ca }))).toBe('ECONNRESET')
  })
})

test('closing ends open streams and leaves no connection', async () => {
  const upstream = await start([{ ...chatStream(tokens(3)), end: 'silence' }])
  const request = httpRequest(`${upstream.url}/chat/completions`, { method: 'POST' })
  request.end()
  const [response] = await once(request, 'response')
  expect(upstream.openSockets).toBe(1)
  const received = text(response).catch(({ code }: NodeJS.ErrnoException) => code)
  await upstream.close()
  expect(await received).toBe('ECONNRESET')
  expect(upstream.openSockets).toBe(0)
})
