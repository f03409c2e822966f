import Anthropic from '@anthropic-ai/sdk'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { startGateway } from '../../support/start-gateway.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import { messageEvents, messageStream, nativeMessage } from './native-bodies.ts'

/** A chain whose first endpoint speaks the Messages API and whose second only the chat API. */
async function startLanes(native: readonly UpstreamAnswer[]) {
  const first = await startUpstream(native)
  const second = await startUpstream([chatStream(['Chat.'])])
  const gateway = await startGateway(
    {
      providers: {
        native: { baseUrl: first.url, wires: { messages: {} } },
        plain: { baseUrl: second.url, key: false },
      },
      models: { chat: { tiers: [['native/m'], ['plain/m']] } },
      settings: { retry_max_attempts: 2 },
    },
    { NATIVE_API_KEY: 'key-of-this-test' },
  )
  return {
    gateway,
    first,
    second,
    ask: (fields: object, headers: Record<string, string> = {}) =>
      fetch(`${gateway.url}/v1/messages?beta=true`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ ...QUESTION, ...fields }),
      }),
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await first.close()
      await second.close()
    },
  }
}

const QUESTION = { model: 'chat', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello?' }] }
const STREAMED = { stream: true }
const OVERLOADED = errorAnswer(529, { message: 'Overloaded', type: 'overloaded_error' })

describe('a native answer', () => {
  it('is what the upstream sent, to the byte, however the network cuts it', async () => {
    await using chain = await startLanes([messageStream([])])
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(2_000), { maxLength: 5 }),
        async (texts, cuts) => {
          const bytes = Buffer.from(messageEvents(texts).join(''))
          const places = [...cuts, bytes.length].map(cut => Math.min(cut, bytes.length)).sort((a, b) => a - b)
          const chunks = places.map((end, index) => bytes.subarray(places[index - 1] ?? 0, end))
          chain.first.play([messageStream(chunks.filter(({ length }) => length > 0))])
          const response = await chain.ask(STREAMED)
          expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('is whole where it was asked so, and its usage is known', async () => {
    const body = ` ${JSON.stringify(nativeMessage('Hi'), null, 2)}\n`
    await using chain = await startLanes([{ status: 200, body }])
    expect(await (await chain.ask({})).text()).toBe(body)
    await chain.gateway.settled()
    expect(chain.gateway.completed[0]?.usage).toMatchObject({ promptTokens: 10, completionTokens: 2 })
  })

  it('passes the official client, signature and all', async () => {
    await using chain = await startLanes([messageStream(messageEvents(['Hi']))])
    const client = new Anthropic({ apiKey: 'none', baseURL: chain.gateway.url, maxRetries: 0 })
    const final = await client.messages.stream(QUESTION).finalMessage()
    expect(final.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' },
      { type: 'text', text: 'Hi' },
    ])
  })

  it.each([
    ['refuses', OVERLOADED],
    ['is cut before output', messageStream(messageEvents(['x']).slice(0, 2), { end: 'reset' })],
    ['ends before output', messageStream(messageEvents(['x']).slice(0, 3))],
    [
      'fails in its stream',
      messageStream([
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
      ]),
    ],
  ])('is followed by the next endpoint where it %s', async (_, answer) => {
    await using chain = await startLanes([answer])
    const response = await chain.ask(STREAMED)
    const text = await response.text()
    expect(response.headers.get('x-backstop-served-by')).toBe('plain/m')
    expect(text).toContain('"text":"Chat."')
    expect(text).toContain('message_stop')
  })

  it('that is cut after output ends with an error, and nothing that looks like success', async () => {
    const events = messageEvents(['One ', 'two']).slice(0, 8)
    await using chain = await startLanes([messageStream([...events, 'event: content_bl'])])
    const text = await (await chain.ask(STREAMED)).text()
    expect(text.startsWith(events.join(''))).toBe(true)
    expect(text.slice(events.join('').length)).toMatch(/^event: error\ndata: \{"type":"error"/)
    expect(text).not.toContain('message_stop')
  })
})

describe('a request', () => {
  it('goes up as the client wrote it, with its betas, its version and the provider’s key', async () => {
    await using chain = await startLanes([{ status: 200, body: nativeMessage('Hi') }])
    const fields = {
      system: [{ type: 'text', text: 'x-anthropic-billing-header: x', cache_control: { type: 'ephemeral' } }],
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      brand_new_field: 1.0,
    }
    const headers = { 'anthropic-beta': 'one,two', 'anthropic-version': '2023-06-01' }
    const response = await chain.ask(fields, headers)
    const sent = chain.first.requests[0]
    expect(sent?.path).toBe('/v1/messages')
    expect(sent?.body).toEqual({ ...QUESTION, ...fields, model: 'm' })
    expect(sent?.headers).toMatchObject({ ...headers, 'x-api-key': 'key-of-this-test' })
    expect(response.headers.has('x-backstop-dropped')).toBe(false)
  })

  it('goes without thoughts that no provider has signed', async () => {
    await using chain = await startLanes([{ status: 200, body: nativeMessage('Hi') }])
    const thought = (signature: string) => ({ type: 'thinking', thinking: 'Hm.', signature })
    const said = { type: 'text', text: 'Yes.' }
    const messages = [
      ...QUESTION.messages,
      { role: 'assistant', content: [thought(''), said] },
      { role: 'assistant', content: [thought('c2lnbmVk'), said] },
      ...QUESTION.messages,
    ]
    await chain.ask({ messages })
    const sent = chain.first.requests[0]?.body as typeof QUESTION
    expect(sent.messages.map(({ content }) => content)).toEqual([
      'Hello?',
      [said],
      [thought('c2lnbmVk'), said],
      'Hello?',
    ])
  })

  it('that only such an endpoint can serve goes nowhere else', async () => {
    await using chain = await startLanes([OVERLOADED])
    const response = await chain.ask({ mcp_servers: [{ type: 'url', url: 'https://x.example' }] })
    expect(response.status).toBeGreaterThanOrEqual(500)
    expect(chain.second.calls()).toBe(0)
  })
})

describe('the tokens of a request', () => {
  const counted = {
    model: 'claude',
    messages: QUESTION.messages,
    tools: [{ name: 'a', input_schema: { type: 'object' as const } }],
  }

  async function startCounting(answers: readonly UpstreamAnswer[]) {
    const clock = createVirtualClock()
    const upstream = await startUpstream(answers, { clock })
    const gateway = await startGateway(
      {
        // Of the catalogue's rows this one counts.
        providers: { anthropic: { baseUrl: upstream.url } },
        models: { claude: { tiers: [['anthropic/claude-x']] } },
      },
      { ANTHROPIC_API_KEY: 'key-of-this-test' },
      { clock },
    )
    const client = new Anthropic({ apiKey: 'none', baseURL: gateway.url, maxRetries: 0 })
    return {
      upstream,
      count: async (fields: object = {}) =>
        (await client.messages.countTokens({ ...counted, ...fields })).input_tokens,
      async [Symbol.asyncDispose]() {
        await gateway.close()
        await upstream.close()
      },
    }
  }

  it('are counted by an endpoint that counts them', async () => {
    await using counting = await startCounting([{ status: 200, body: { input_tokens: 4_711 } }])
    expect(await counting.count()).toBe(4_711)
    const [sent] = counting.upstream.requests
    expect(sent?.path).toBe('/v1/messages/count_tokens')
    expect(sent?.body).toEqual({ ...counted, model: 'claude-x' })
    expect(sent?.headers).toMatchObject({
      'x-api-key': 'key-of-this-test',
      'anthropic-version': expect.any(String),
    })
  })

  it.each<[string, UpstreamAnswer]>([
    ['refuses', OVERLOADED],
    ['is not there', { fault: 'reset-before-headers' }],
    ['is silent', { fault: 'no-response' }],
    ['answers something else', { status: 200, body: 'Hello' }],
  ])('are estimated where it %s', async (_, answer) => {
    await using counting = await startCounting([answer])
    const tokens = await counting.count()
    expect(tokens).toBeGreaterThan(5)
    expect(tokens).toBeLessThan(100)
    expect(await counting.count({ model: 'nobody' })).toBe(tokens)
  })
})
