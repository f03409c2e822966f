import { describe, expect, it, test } from 'vitest'
import type { HttpAnswer } from '../../support/upstreams/upstream-answer.ts'
import { NATIVE_APIS, startNativeChain, type NativeApi } from './native-chain.ts'

const TEXTS = ['Grüß ', 'Gott ', '👋']
const SAID = TEXTS.join('')
const HEADERS = { 'content-type': 'text/event-stream' }

const streamOf = (...chunks: readonly (string | Uint8Array)[]): HttpAnswer => ({
  status: 200,
  headers: HEADERS,
  chunks,
})

const dataOf = (event: string): string => /^data: (.*)$/m.exec(event)?.[1] ?? ''
const withoutNames = (events: readonly string[]): string =>
  events.map(event => event.replace(/^event: .*\n/, '')).join('')

/** Events with one more behind the first text. */
const withEvent = ({ eventsOf, beginning }: NativeApi, event: string): string[] =>
  eventsOf(TEXTS).toSpliced(beginning + 1, 0, event)

/** What passes as it came, to the byte. */
const UNTOUCHED: readonly [string, (api: NativeApi) => string | Uint8Array][] = [
  ['comments that keep it alive', api => withEvent(api, ': keep-alive\n\n').join('')],
  ['blank lines before it begins', ({ eventsOf }) => `\n\n\n${eventsOf(TEXTS).join('')}`],
  ['a byte order mark', ({ eventsOf }) => `\uFEFF${eventsOf(TEXTS).join('')}`],
  ['lines that end in CRLF', ({ eventsOf }) => eventsOf(TEXTS).join('').replaceAll('\n', '\r\n')],
  [
    'a field that no client reads',
    ({ eventsOf }) =>
      eventsOf(TEXTS)
        .map(event => `id: 7\n${event}`)
        .join(''),
  ],
  ['`[DONE]` behind its end', ({ eventsOf }) => `${eventsOf(TEXTS).join('')}data: [DONE]\n\n`],
  [
    'data over several lines',
    api => {
      const delta = api.delta('Grüß ')
      const data = dataOf(delta)
      const [head, tail] = [data.slice(0, data.indexOf(',') + 1), data.slice(data.indexOf(',') + 1)]
      return api
        .eventsOf(TEXTS)
        .with(api.beginning, delta.replace(data, `${head}\ndata: ${tail}`))
        .join('')
    },
  ],
]

/** An event of a kind that nobody knows yet. */
const UNKNOWN = 'event: brand_new\ndata: {"type":"brand_new","value":[1.0]}\n\n'

const readableBy = async (api: NativeApi, answer: HttpAnswer): Promise<string> => {
  await using chain = await startNativeChain(api, [answer])
  const text = await api.read(chain.gateway.url)
  expect(chain.second.calls()).toBe(0)
  return text
}

describe.each(NATIVE_APIS)('a stream of the $api API', api => {
  const { eventsOf, delta, silent, beginning } = api

  test.each(UNTOUCHED)('passes untouched with %s', async (_, write) => {
    const bytes = Buffer.from(write(api))
    await using chain = await startNativeChain(api, [streamOf(bytes)])
    expect(Buffer.from(await (await chain.ask({ stream: true })).arrayBuffer()).equals(bytes)).toBe(true)
    expect(await api.read(chain.gateway.url)).toBe(SAID)
    expect(chain.second.calls()).toBe(0)
  })

  it('passes untouched with an event that is not known', async () => {
    const events = withEvent(api, UNKNOWN)
    await using chain = await startNativeChain(api, [streamOf(...events)])
    expect(await (await chain.ask({ stream: true })).text()).toBe(events.join(''))
  })

  it('passes untouched although every byte comes by itself', async () => {
    const bytes = Buffer.from(eventsOf(TEXTS).join(''))
    const pieces = Array.from(bytes, byte => Uint8Array.of(byte))
    await using chain = await startNativeChain(api, [streamOf(...pieces)])
    expect(Buffer.from(await (await chain.ask({ stream: true })).arrayBuffer()).equals(bytes)).toBe(true)
  })

  it('can be read with events that are glued together', async () => {
    const [first = '', second = '', ...rest] = eventsOf(TEXTS)
    const glued = `data: ${dataOf(first)}${dataOf(second)}\n\n`
    expect(await readableBy(api, streamOf(glued, ...rest))).toBe(SAID)
    const texts = TEXTS.map(text => dataOf(delta(text))).join('\ndata: ')
    const events = eventsOf(TEXTS).toSpliced(beginning, TEXTS.length, `data: ${texts}\n\n`)
    expect(await readableBy(api, streamOf(...events))).toBe(SAID)
  })

  it('can be read without the lines that name its events', async () => {
    expect(await readableBy(api, streamOf(withoutNames(eventsOf(TEXTS))))).toBe(SAID)
  })

  it('can be read without the blank line behind its last event', async () => {
    expect(await readableBy(api, streamOf(eventsOf(TEXTS).join('').trimEnd()))).toBe(SAID)
  })

  test.each(['data: {}\n\n', 'data: null\n\n', 'data: {"type":"brand_new","x\n\n', 'data: queued\n\n'])(
    'can be read with what is no event, and is left out: %j',
    async event => {
      await using chain = await startNativeChain(api, [streamOf(...withEvent(api, event))])
      expect(await (await chain.ask({ stream: true })).text()).toBe(eventsOf(TEXTS).join(''))
    },
  )

  it('breaks off where an event is lost that held some of the answer', async () => {
    const torn = `${delta('Half of').slice(0, -8)}\n\n`
    await using chain = await startNativeChain(api, [streamOf(...withEvent(api, torn))])
    const text = await (await chain.ask({ stream: true })).text()
    expect(
      text.startsWith(
        eventsOf(TEXTS)
          .slice(0, beginning + 1)
          .join(''),
      ),
    ).toBe(true)
    expect(text).not.toMatch(/message_stop|response\.completed/)
    await expect(api.read(chain.gateway.url)).rejects.toThrow(/failed|broke off/)
  })

  it('is followed by the next endpoint where that event would have been the first', async () => {
    const torn = `${delta('Half of').slice(0, -8)}\n\n`
    const events = eventsOf(TEXTS).toSpliced(silent, 0, torn)
    await using chain = await startNativeChain(api, [streamOf(...events)])
    expect(await api.read(chain.gateway.url)).toBe('Chat.')
  })

  it('is over when it says so, although its connection stays open', async () => {
    const events = eventsOf(TEXTS)
    await using chain = await startNativeChain(api, [{ ...streamOf(...events), end: 'silence' }])
    const began = chain.clock.now()
    expect(await (await chain.ask({ stream: true })).text()).toBe(events.join(''))
    expect(chain.clock.now() - began).toBeLessThan(2_000)
  })

  it('is whole although the connection breaks behind its end', async () => {
    const events = eventsOf(TEXTS)
    await using chain = await startNativeChain(api, [{ ...streamOf(...events), end: 'reset' }])
    expect(await (await chain.ask({ stream: true })).text()).toBe(events.join(''))
  })

  it('ends with an error that clients see where the upstream names none', async () => {
    const events = [
      ...eventsOf(TEXTS).slice(0, beginning + 1),
      'data: {"error":{"message":"Backend lost."}}\n\n',
    ]
    await using chain = await startNativeChain(api, [streamOf(...events)])
    await expect(api.read(chain.gateway.url)).rejects.toThrow(/Backend lost|broke off/)
    await chain.gateway.settled()
    expect(chain.gateway.completed.map(({ outcome }) => outcome)).toEqual(['cut'])
  })
})

const ERROR = {
  error: { message: 'Rate limit reached. Try again in 20s.', type: 'rate_limit_error', code: null },
}

/** Bodies of a 200 that are no answer, and what the chain says of them. */
const NO_ANSWERS: readonly [string, HttpAnswer, string][] = [
  ['an error as JSON', { status: 200, body: ERROR }, 'rate_limit'],
  [
    'a web page',
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><h1>Hi</h1>' },
    'malformed_response',
  ],
  ['nothing', { status: 200, headers: HEADERS, body: '' }, 'malformed_response'],
  ['`[DONE]` alone', streamOf('data: [DONE]\n\n'), 'malformed_response'],
  ['comments alone', streamOf(': one\n\n', ': two\n\n'), 'malformed_response'],
  [
    'a stream of the chat API',
    streamOf('data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'),
    'malformed_response',
  ],
  [
    'half of an answer as JSON',
    { status: 200, headers: { 'content-type': 'application/json' }, body: '{"type":"mess' },
    'malformed_response',
  ],
]

describe.each(NATIVE_APIS)('a 200 of the $api API', api => {
  test.each(NO_ANSWERS)('that holds %s is followed by the next endpoint', async (_, answer, kind) => {
    await using chain = await startNativeChain(api, [answer])
    for (const stream of [true, false]) {
      const response = await chain.ask({ stream })
      expect(await response.text()).toContain('Chat.')
      expect(response.headers.get('x-backstop-served-by')).toBe('plain/m')
      if (stream) expect(response.headers.get('x-backstop-chain')).toContain(`native/m;${kind};200`)
    }
  })

  it('that is whole although a stream was asked for becomes its events', async () => {
    await using chain = await startNativeChain(api, [{ status: 200, body: api.wholeOf(SAID) }])
    const response = await chain.ask({ stream: true })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(response.headers.get('x-backstop-served-by')).toBe('native/m')
    await response.text()
    expect(await api.read(chain.gateway.url)).toBe(SAID)
    await chain.gateway.settled()
    expect(chain.gateway.completed[0]?.usage).toMatchObject({ completionTokens: 2 })
  })

  it('that is a stream although none was asked for becomes the answer that it adds up to', async () => {
    await using chain = await startNativeChain(api, [streamOf(...api.eventsOf(TEXTS))])
    const response = await chain.ask({ stream: false })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.text()).toContain(SAID)
    expect(chain.second.calls()).toBe(0)
  })
})

describe('shapes that hosts of the Responses API were reported to send', () => {
  const api = NATIVE_APIS.find(({ path }) => path === '/v1/responses') ?? expect.fail('no such API')

  // https://github.com/vllm-project/vllm/pull/37071
  it('can be read without the events that end an item', async () => {
    const events = api.eventsOf(TEXTS).filter(event => !/output_(?:text|item)\.done/.test(event))
    expect(await readableBy(api, streamOf(...events))).toBe(SAID)
  })

  // https://github.com/pjq/sap-ai-core-llm-proxy/pull/35
  it('are followed by the next endpoint where events hold a bare answer, which no client can tell', async () => {
    const bare = (type: string, text: string): string =>
      `event: ${type}\ndata: ${JSON.stringify(api.wholeOf(text))}\n\n`
    const stream = streamOf(bare('response.created', ''), bare('response.completed', SAID))
    await using chain = await startNativeChain(api, [stream])
    expect(await api.read(chain.gateway.url)).toBe('Chat.')
  })

  // https://github.com/BerriAI/litellm/issues/41009
  it('add up to the whole answer where the last event leaves the output out', async () => {
    const events = api.eventsOf(TEXTS)
    const last = JSON.stringify({ ...api.wholeOf(SAID), output: [] })
    const end = `event: response.completed\ndata: {"type":"response.completed","response":${last}}\n\n`
    await using chain = await startNativeChain(api, [streamOf(...events.slice(0, -1), end)])
    expect(await (await chain.ask({ stream: false })).text()).toContain(SAID)
    expect(chain.second.calls()).toBe(0)
  })
})
