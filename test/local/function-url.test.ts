import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { type Socket, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { CORS, MAX_BODY_BYTES } from '../../lambdas/contract.ts'
import type { StreamingHandler } from '../../lambdas/platform/lambda-stream.ts'
import { startFunctionUrl } from '../../infra/local/function-url.ts'
import { begin } from './begin-response.ts'
import type { LocalServer } from '../../infra/local/loopback-server.ts'

const running: LocalServer[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map(server => server.close()))
})

async function serve(handler: StreamingHandler, onHandlerError = (_error: unknown) => {}, keyed = false) {
  const server = await startFunctionUrl({ handler, port: 0, onHandlerError, keyed })
  running.push(server)
  return server
}

/** Serves a handler that answers `ok` and keeps the events it was given. */
async function serveRecorder({ keyed = false } = {}) {
  const events: LambdaFunctionURLEvent[] = []
  const server = await serve(
    async (event, stream) => {
      events.push(event)
      begin(stream, 200, { 'content-type': 'text/plain' }).end('ok')
    },
    undefined,
    keyed,
  )
  return { events, url: server.url }
}

async function open(url: string): Promise<{ request: ClientRequest; response: IncomingMessage }> {
  const request = httpRequest(url, { agent: false })
  request.on('error', () => {})
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { request, response }
}

describe('the event', () => {
  test('has the shape of payload format 2.0', async () => {
    const { events, url } = await serveRecorder()
    await fetch(`${url}/v1/models/gpt-4o?a=1&b=x%20y&a=2`, {
      headers: { 'X-Custom': 'Yes', cookie: 'a=1; b=2' },
    })
    const event = events[0]
    expect(event).toMatchObject({
      version: '2.0',
      rawPath: '/v1/models/gpt-4o',
      rawQueryString: 'a=1&b=x%20y&a=2',
      queryStringParameters: { a: '1,2', b: 'x y' },
      cookies: ['a=1', 'b=2'],
      headers: { 'x-custom': 'Yes' },
      requestContext: {
        http: { method: 'GET', path: '/v1/models/gpt-4o', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1' },
      },
      isBase64Encoded: false,
    })
    expect(event?.body).toBeUndefined()
    expect(event?.requestContext.requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(event?.requestContext.timeEpoch).toBeTypeOf('number')
  })

  test.each([
    ['application/json', false],
    ['application/json; charset=utf-8', false],
    ['application/vnd.api+json', false],
    ['text/plain', false],
    ['application/octet-stream', true],
    ['application/x-www-form-urlencoded', true],
    ['application/jsonlines', true],
  ])('a body of %s is base64: %s', async (contentType, isBase64Encoded) => {
    const { events, url } = await serveRecorder()
    await fetch(url, {
      method: 'POST',
      body: Buffer.from('{"é":1}'),
      headers: { 'content-type': contentType },
    })
    expect(events[0]?.isBase64Encoded).toBe(isBase64Encoded)
    expect(Buffer.from(events[0]?.body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString()).toBe('{"é":1}')
  })

  test('a compressed JSON body stays bytes', async () => {
    const { events, url } = await serveRecorder()
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    await fetch(url, { method: 'POST', body: Buffer.from([0x1f, 0x8b, 0xff]), headers })
    expect(events[0]).toMatchObject({ isBase64Encoded: true, body: 'H4v/' })
  })
})

describe('the response', () => {
  test('carries the status and headers that the handler began it with', async () => {
    const { url } = await serve(async (_event, stream) => {
      begin(stream, 418, { 'x-backstop-tier': '2' }).end('teapot')
    })
    const response = await fetch(url)
    expect([response.status, response.headers.get('x-backstop-tier'), await response.text()]).toEqual([
      418,
      '2',
      'teapot',
    ])
  })

  test('streams: the first piece arrives while the handler still works', async () => {
    const gate = Promise.withResolvers<void>()
    const { url } = await serve(async (_event, stream) => {
      begin(stream, 200).write('first')
      await gate.promise
      stream.end('second')
    })
    const reader = (await fetch(url)).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first')
    gate.resolve()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('second')
  })

  test('holds the producer back while the client does not read', async () => {
    const total = 64 * 1024 * 1024
    const piece = Buffer.alloc(64 * 1024, 'x')
    const progress = { written: 0, heldBack: Promise.withResolvers<void>() }
    const { url } = await serve(async (_event, stream) => {
      begin(stream, 200)
      while (progress.written < total) {
        progress.written += piece.length
        if (stream.write(piece)) continue
        progress.heldBack.resolve()
        await once(stream, 'drain')
      }
      stream.end()
    })
    const { response } = await open(url)
    await progress.heldBack.promise
    // The socket buffers of both sides fill up first; from then on nothing may move.
    let before = -1
    while (before !== progress.written) {
      before = progress.written
      await delay(100)
    }
    expect(progress.written).toBeLessThan(total / 2)
    let received = 0
    for await (const chunk of response) received += (chunk as Buffer).length
    expect(received).toBe(total)
  })

  test('closes the stream when the client leaves, and the server goes on', async () => {
    const closed = Promise.withResolvers<boolean>()
    const { url } = await serve(async (event, stream) => {
      if (event.rawPath === '/next') return void begin(stream, 200).end('fine')
      begin(stream, 200).write('first')
      await once(stream, 'close')
      closed.resolve(stream.writableFinished)
      stream.write('to nobody')
    })
    const { request } = await open(url)
    request.destroy()
    expect(await closed.promise).toBe(false)
    expect(await (await fetch(`${url}/next`)).text()).toBe('fine')
  })

  test('overlapping requests keep their own answers', async () => {
    const waiting: (() => void)[] = []
    const { url } = await serve(async (event, stream) => {
      const body = begin(stream, 200, { 'x-path': event.rawPath })
      await new Promise<void>(resolve => {
        waiting.push(resolve)
        if (waiting.length === 10) for (const release of waiting.toReversed()) release()
      })
      body.end(event.rawPath)
    })
    const paths = Array.from({ length: 10 }, (_, index) => `/${index}`)
    const responses = await Promise.all(paths.map(path => fetch(url + path)))
    expect(responses.map(response => response.headers.get('x-path'))).toEqual(paths)
    expect(await Promise.all(responses.map(response => response.text()))).toEqual(paths)
  })
})

describe('a handler that fails', () => {
  test.each<[string, StreamingHandler]>([
    ['throws', () => Promise.reject(new Error('boom'))],
    ['returns without a response', () => Promise.resolve()],
  ])('%s: 502, and the server goes on', async (_title, handler) => {
    const errors: unknown[] = []
    const { url } = await serve(handler, error => errors.push(error))
    for (const attempt of [1, 2]) {
      const response = await fetch(url)
      expect([response.status, await response.text()]).toEqual([502, 'Internal Server Error'])
      expect(errors).toHaveLength(attempt)
    }
  })

  test('before its first byte: a 502 without its headers, which the page that asked may read', async () => {
    const { url } = await serve((_event, stream) => {
      begin(stream, 200, {
        'content-type': 'text/event-stream',
        'x-backstop-served-by': 'a/m',
        vary: 'accept',
      })
      return Promise.reject(new Error('boom'))
    })
    const response = await fetch(url, { headers: { origin: 'http://localhost:3000' } })
    expect([response.status, await response.text()]).toEqual([502, 'Internal Server Error'])
    const seen = ['content-type', 'x-backstop-served-by', 'access-control-allow-origin']
    expect(seen.map(name => response.headers.get(name))).toEqual([
      'text/plain',
      null,
      'http://localhost:3000',
    ])
    expect(response.headers.has('vary')).toBe(true)
  })

  test('in the middle of a stream: the connection is cut, never ended', async () => {
    const { url } = await serve(async (_event, stream) => {
      await new Promise<unknown>(resolve => begin(stream, 200).write('half', resolve))
      throw new Error('boom')
    })
    const response = await fetch(url)
    await expect(response.text()).rejects.toThrow('terminated')
  })
})

describe('a body over the limit', () => {
  test('is refused in the shape of OpenAI before the handler is called', async () => {
    const { events, url } = await serveRecorder()
    const response = await fetch(url, { method: 'POST', body: Buffer.alloc(MAX_BODY_BYTES + 1) })
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ error: { code: 'payload_too_large', param: null } })
    expect(events).toEqual([])
  })

  test('is refused without a content-length too, while it is still being sent', async () => {
    const { events, url } = await serveRecorder()
    const request = httpRequest(url, { method: 'POST', agent: false })
    request.on('error', () => {})
    request.write(Buffer.alloc(MAX_BODY_BYTES + 1))
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(413)
    expect(events).toEqual([])
    request.destroy()
  })

  test('is refused without cutting off a client that is still sending and keeps no connection', async () => {
    const { url } = await serveRecorder()
    const request = httpRequest(url, { method: 'POST', agent: false })
    const failures: Error[] = []
    request.on('error', error => void failures.push(error))
    request.setHeader('content-length', MAX_BODY_BYTES * 2)
    request.write(Buffer.alloc(MAX_BODY_BYTES))
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(413)
    await delay(50)
    const sent = new Promise(resolve => request.end(Buffer.alloc(MAX_BODY_BYTES), () => resolve('all of it')))
    response.resume()
    await once(response, 'close')
    expect(await Promise.race([sent, delay(500, 'not all')])).toBe('all of it')
    expect(failures).toEqual([])
  })

  test('up to the limit it is passed on', async () => {
    const { events, url } = await serveRecorder()
    const headers = { 'content-type': 'text/plain' }
    const response = await fetch(url, { method: 'POST', body: Buffer.alloc(MAX_BODY_BYTES, 'x'), headers })
    expect(response.status).toBe(200)
    expect(events[0]?.body).toHaveLength(MAX_BODY_BYTES)
  })
})

describe('cross-origin', () => {
  test('a preflight is answered without the handler', async () => {
    const { events, url } = await serveRecorder({ keyed: true })
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
    const response = await fetch(url, { method: 'OPTIONS', headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-headers')).toContain('authorization')
    expect(events).toEqual([])
  })

  test('an answer exposes the headers of the gateway, only to those who ask from elsewhere', async () => {
    const { url } = await serveRecorder({ keyed: true })
    const foreign = await fetch(url, { headers: { origin: 'https://app.example' } })
    expect(foreign.headers.get('access-control-expose-headers')).toBe(CORS.exposeHeaders.join(','))
    expect((await fetch(url)).headers.get('access-control-expose-headers')).toBeNull()
  })
})

describe('without client keys', () => {
  /** The status of a request with these headers, sent as they are. */
  async function statusOf(
    url: string,
    headers: Record<string, string>,
    path = '/v1/models',
  ): Promise<number> {
    const request = httpRequest(`${url}${path}`, { agent: false, headers })
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode ?? 0
  }

  test.each<[string, Record<string, string>, number]>([
    ['localhost', { host: 'localhost:1234' }, 200],
    ['127.0.0.1', { host: '127.0.0.1' }, 200],
    ['a name that was pointed at this machine', { host: 'evil.example:4141' }, 403],
    ['a name that only begins like it', { host: 'localhost.evil.example' }, 403],
    ['a page of this machine', { origin: 'http://localhost:3000' }, 200],
    ['a page elsewhere', { origin: 'https://app.example' }, 403],
    ['a page whose origin only begins like it', { origin: 'http://127.0.0.1.evil.example' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
  ])('%s', async (_, headers, expected) => {
    const { events, url } = await serveRecorder()
    expect(await statusOf(url, headers)).toBe(expected)
    expect(events).toHaveLength(expected === 200 ? 1 : 0)
  })

  test.each<[string, (host: string) => Record<string, string>, number]>([
    ['a program', () => ({}), 200],
    ['its own page', host => ({ origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }), 200],
    ['a page of another port', () => ({ origin: 'http://localhost:1' }), 403],
    ['an image elsewhere, which sends no origin', () => ({ 'sec-fetch-site': 'cross-site' }), 403],
  ])('/local serves %s: %#', async (_, headersFor, expected) => {
    for (const keyed of [false, true]) {
      const { url } = await serveRecorder({ keyed })
      expect(await statusOf(url, headersFor(new URL(url).host), '/local/state')).toBe(expected)
    }
  })

  test('the refusal says what to do', async () => {
    const { url } = await serveRecorder()
    const response = await fetch(url, { headers: { origin: 'https://app.example' } })
    expect(await response.json()).toMatchObject({
      error: { code: 'origin_not_allowed', message: expect.stringContaining('Set BACKSTOP_CLIENT_KEYS') },
    })
  })

  test('a page of this machine may read, and no other', async () => {
    const { url } = await serveRecorder()
    const { headers } = await fetch(url, { headers: { origin: 'http://localhost:3000' } })
    expect(headers.get('access-control-allow-origin')).toBe('http://localhost:3000')
  })
})

test('bytes that are no UTF-8 reach the handler as they are', async () => {
  const { events, url } = await serveRecorder()
  const headers = { 'content-type': 'application/json' }
  await fetch(url, { method: 'POST', headers, body: new Uint8Array([0x22, 0xff, 0x22]) })
  expect(events[0]).toMatchObject({ isBase64Encoded: true, body: 'Iv8i' })
})

describe('a client that ends its side of the connection', () => {
  const send = (url: string): Socket => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.end('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
    return socket
  }

  test('gets its answer', async () => {
    const server = await serve(async (_event, stream) => {
      await delay(60)
      begin(stream, 200, { 'content-type': 'text/plain' }).end('the answer')
    })
    expect(await text(send(server.url))).toContain('the answer')
  })

  test('gets a stream to its end', async () => {
    const server = await serve(async (_event, stream) => {
      const body = begin(stream, 200, { 'content-type': 'text/event-stream' })
      body.write('data: first\n\n')
      await delay(60)
      body.end('data: last\n\n')
    })
    expect(await text(send(server.url))).toMatch(/data: first\n\n.*data: last\n\n/s)
  })

  test('is noticed when it has gone altogether', async () => {
    const gone = Promise.withResolvers<void>()
    const server = await serve(async (_event, stream) => {
      stream.once('close', () => gone.resolve())
      await gone.promise
      stream.destroy()
    })
    const socket = send(server.url)
    socket.once('connect', () => setTimeout(() => socket.destroy(), 5))
    await expect(gone.promise).resolves.toBeUndefined()
  })
})
