import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../lambdas/core/json.ts'
import { nativeMessage } from '../messages/native-bodies.ts'
import { NATIVE_APIS, startNativeChain } from './native-chain.ts'

const api = NATIVE_APIS.find(({ path }) => path === '/v1/messages') ?? expect.fail('no such API')

const event = (type: string, fields: JsonObject = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const beginning: JsonObject = { ...nativeMessage(''), content: [], stop_reason: null }
const start = (more: JsonObject = {}): string =>
  event('message_start', { message: { ...beginning, ...more } })
const block = (index: number, content_block: JsonObject): string =>
  event('content_block_start', { index, content_block })
const delta = (index: number, fields: JsonObject): string =>
  event('content_block_delta', { index, delta: fields })
const ending = (stop_reason: string | null): string =>
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 2 } })
const STOP = event('message_stop')
const PING = event('ping')
const HELLO = [
  block(0, { type: 'text', text: '' }),
  delta(0, { type: 'text_delta', text: 'Hello' }),
  event('content_block_stop', { index: 0 }),
]
const REST = [ending('end_turn'), STOP]

const streamOf = (chunks: readonly (string | { sleepMs: number })[], end: 'clean' | 'silence' = 'clean') => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  chunks,
  end,
})

async function expectCut(chunks: readonly string[]): Promise<void> {
  await using chain = await startNativeChain(api, [streamOf(chunks)])
  const text = await (await chain.ask({ stream: true })).text()
  expect(text).toContain('"type":"error"')
  expect(text).not.toContain('message_stop')
  expect(await (await chain.ask({ stream: false })).text()).toContain('Chat.')
}

async function expectNext(chunks: readonly string[]): Promise<void> {
  await using chain = await startNativeChain(api, [streamOf(chunks)])
  for (const stream of [true, false]) {
    expect(await (await chain.ask({ stream })).text()).toContain('Chat.')
  }
}

const COMPLAINTS = [
  'data: {"code":"1234","message":"Network error"}\n\n',
  'data: {"detail":"Internal"}\n\n',
  'data: {"success":false,"msg":"x","code":500}\n\n',
  'data: {"error_code":336100,"error_msg":"no capacity"}\n\n',
  'data: {"message":"Endpoint request timed out"}\n\n',
  'data: upstream connect error or disconnect/reset before headers\n\n',
  '{"error":{"message":"x"}}\n\n',
  '{"message":"Internal server error"}\n\n',
  '<html><head><title>502 Bad Gateway</title></head>\n<body>nginx</body></html>\n\n',
  'upstream request failed\n\n',
  'event: error\n\n',
]

const NOTICES = [
  'data: {"message":"queued"}\n\n',
  'data: {"code":0,"message":"ok"}\n\n',
  'data: {"trace":"abc"}\n\n',
  'data: queued\n\n',
]

describe('a complaint in a message', () => {
  test.each(COMPLAINTS)('is an error, although an end follows: %j', async complaint => {
    await expectCut([start(), ...HELLO, complaint, STOP])
    await expectCut([start(), ...HELLO, complaint, ...REST])
  })

  test.each(COMPLAINTS.slice(0, 3))(
    'is followed by the next endpoint before its output: %j',
    async complaint => {
      await expectNext([start(), complaint, STOP])
    },
  )

  test('is one where nothing but an end follows that does not say how', async () => {
    await expectCut([start(), ...HELLO, 'data: {"text":"The service is busy."}\n\n', STOP])
  })

  test.each(NOTICES)('is none where it tells of no error: %j', async notice => {
    await using chain = await startNativeChain(api, [streamOf([start(), ...HELLO, notice, ...REST])])
    expect(await (await chain.ask({ stream: true })).text()).toBe([start(), ...HELLO, ...REST].join(''))
    expect(await (await chain.ask({ stream: false })).text()).toContain('Hello')
    expect(chain.second.calls()).toBe(0)
  })
})

const half = [
  block(0, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }),
  delta(0, { type: 'input_json_delta', partial_json: '{"a":' }),
]

describe('a message that begins', () => {
  test('inside another one is none of it', async () => {
    await expectCut([start(), ...half, start({ id: 'msg_other' }), ...HELLO, ...REST])
    await expectCut([start(), ...HELLO, start({ id: 'msg_other' }), ...HELLO, ...REST])
  })

  test.each([
    ['twice', [start(), start(), ...HELLO, ...REST], [start(), ...HELLO, ...REST]],
    [
      'twice under two names',
      [start(), start({ id: 'msg_2' }), ...HELLO, ...REST],
      [start(), ...HELLO, ...REST],
    ],
    ['once, and ends twice', [start(), ...HELLO, ...REST, STOP], [start(), ...HELLO, ...REST]],
    ['again behind its text', [start(), ...HELLO, start(), ...REST], [start(), ...HELLO, ...REST]],
  ])('%s begins once', async (_, chunks, shown) => {
    await using chain = await startNativeChain(api, [streamOf(chunks)])
    expect(await (await chain.ask({ stream: true })).text()).toBe(shown.join(''))
    expect(await api.read(chain.gateway.url)).toBe('Hello')
    expect(await (await chain.ask({ stream: false })).text()).toContain('Hello')
    expect(chain.second.calls()).toBe(0)
  })

  test.each([
    [
      'without content',
      [
        event('message_start', {
          message: {
            id: 'm',
            type: 'message',
            role: 'assistant',
            model: 'm',
            usage: { input_tokens: 1, output_tokens: 0 },
          },
        }),
      ],
    ],
    ['with content of null', [event('message_start', { message: { ...beginning, content: null } })]],
    ['without a beginning', []],
    ['with a ping alone', [PING]],
  ])('%s can be read', async (_, begun) => {
    await using chain = await startNativeChain(api, [streamOf([...begun, ...HELLO, ...REST])])
    expect(await api.read(chain.gateway.url)).toBe('Hello')
    const whole = (await (await chain.ask({ stream: false })).json()) as JsonObject
    expect(whole).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
    })
    expect(chain.second.calls()).toBe(0)
  })

  test('with input and no deltas has it in the whole answer', async () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } }
    const chunks = [
      start(),
      block(0, call),
      event('content_block_stop', { index: 0 }),
      ending('tool_use'),
      STOP,
    ]
    await using chain = await startNativeChain(api, [streamOf(chunks)])
    expect(await (await chain.ask({ stream: false })).json()).toMatchObject({ content: [call] })
  })
})

describe('a message that ends', () => {
  test.each(['error', 'network_error', 'function_call_filter: MALFORMED_FUNCTION_CALL'])(
    'by %s failed',
    async reason => {
      await expectCut([start(), ...HELLO, ending(reason), STOP])
      await expectNext([start(), ending(reason), STOP])
      await using chain = await startNativeChain(api, [
        { status: 200, body: nativeMessage('Hel', { stop_reason: reason }) },
      ])
      expect(await (await chain.ask({ stream: false })).text()).toContain('Chat.')
    },
  )

  test('by a full window is an answer where something came, and none where nothing did', async () => {
    const full = ending('model_context_window_exceeded')
    const chunks = [start(), ...HELLO, full, STOP]
    await using chain = await startNativeChain(api, [streamOf(chunks), streamOf([start(), full, STOP])])
    expect(await (await chain.ask({ stream: true })).text()).toBe(chunks.join(''))
    const next = await chain.ask({ stream: true })
    expect(next.headers.get('x-backstop-chain')).toContain('native/m;context_length;200')
    expect(await next.text()).toContain('Chat.')
  })

  test.each([
    ['pings', PING],
    ['comments', ': keep-alive\n\n'],
    ['blank lines', '\n\n'],
  ])('is over although %s go on', async (_, quiet) => {
    const pauses = Array.from({ length: 30 }, () => [{ sleepMs: 2_000 }, quiet]).flat()
    const events = [start(), ...HELLO, ending('end_turn')]
    for (const stream of [true, false]) {
      await using chain = await startNativeChain(api, [streamOf([...events, ...pauses], 'silence')])
      const began = chain.clock.now()
      const text = await (await chain.ask({ stream })).text()
      expect(chain.clock.now() - began).toBeLessThan(6_000)
      expect(text).toContain('Hello')
      if (stream) expect(text.startsWith(events.join(''))).toBe(true)
      if (stream) expect(text.endsWith(STOP)).toBe(true)
    }
  })

  test('keeps the pings before its last event in their place', async () => {
    const chunks = [start(), ...HELLO, ending('end_turn'), PING, ': one\n\n', PING, STOP, ': two\n\n']
    await using chain = await startNativeChain(api, [streamOf(chunks)])
    expect(await (await chain.ask({ stream: true })).text()).toBe(chunks.join(''))
  })
})
