import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { startGateway } from '../../support/start-gateway.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import { nativeEvents, nativeResponse, nativeStream } from './native-bodies.ts'

type Chain = {
  native: readonly UpstreamAnswer[]
  chat?: readonly UpstreamAnswer[]
  stateful?: boolean
  key?: string
}

/** A chain whose first endpoint speaks the Responses API and whose second only the chat API. */
async function startLanes({ native, chat = [chatStream(['Chat.'])], stateful = false, key }: Chain) {
  const first = await startUpstream(native)
  const second = await startUpstream(chat)
  const clock = createVirtualClock()
  const gateway = await startGateway(
    {
      providers: {
        native: { baseUrl: first.url, ...(key ? {} : { key: false }), wires: { responses: { stateful } } },
        plain: { baseUrl: second.url, key: false },
      },
      models: { chat: { tiers: [['native/m'], ['plain/m']] } },
      settings: { retry_max_attempts: 2 },
    },
    key ? { NATIVE_API_KEY: key } : {},
    { clock },
  )
  return {
    gateway,
    clock,
    first,
    second,
    ask: (body: object | string, headers: Record<string, string> = {}) =>
      fetch(`${gateway.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await first.close()
      await second.close()
    },
  }
}

const QUESTION = { model: 'chat', input: 'Hello?' }
const STREAMED = { ...QUESTION, stream: true }
/** Longer than an overloaded endpoint cools down. */
const COOLED_DOWN_MS = 120_000
const OVERLOADED = errorAnswer(503, { message: 'The model is overloaded.' })
const BROKEN = errorAnswer(500, { message: 'The server had an error.' })

describe('an endpoint that speaks the client’s API', () => {
  it('gets the body as the client wrote it, but for the model and what is private', async () => {
    await using chain = await startLanes({ native: [nativeStream(nativeEvents(['Hi']))] })
    const text =
      '{ "model" : "chat", "input":"Hello?",  "stream":true, "seed": 12345678901234567890,"client_metadata":{"a":[1]},"tools":[{"type":"web_search"}] }'
    const response = await chain.ask(text)
    await response.text()
    expect(response.headers.get('x-backstop-dropped')).toBeNull()
    expect(chain.first.requests[0]?.path).toBe('/v1/responses')
    expect(chain.first.requests[0]?.text).toBe(
      '{"model" : "m","input":"Hello?","stream":true,"seed": 12345678901234567890,"tools":[{"type":"web_search"}]}',
    )
  })

  it('is answered for byte by byte, however the network cuts the stream', async () => {
    const answers: { bytes: Buffer; cuts: number[] }[] = []
    await using chain = await startLanes({ native: [nativeStream([])] })
    let next = 0
    chain.first.play(() => {
      const { bytes, cuts } = answers[next++] ?? { bytes: Buffer.alloc(0), cuts: [] }
      const places = [
        0,
        ...cuts.map(cut => cut % bytes.length).toSorted((one, other) => one - other),
        bytes.length,
      ]
      const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
      return nativeStream(pieces.filter(({ length }) => length > 0))
    })
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme' }), {
      minLength: 1,
      maxLength: 4,
    })
    const lineEnd = fc.constantFrom('\n', '\r\n')
    await fc.assert(
      fc.asyncProperty(texts, lineEnd, fc.array(fc.nat(4_000), { maxLength: 4 }), async (said, end, cuts) => {
        const stream = `: ping${end}${end}${nativeEvents(said).join('').replaceAll('\n', end)}`
        answers.push({ bytes: Buffer.from(stream), cuts })
        expect(await (await chain.ask(STREAMED)).text()).toBe(stream)
      }),
      { numRuns: 200 },
    )
    expect(chain.second.calls()).toBe(0)
    await chain.gateway.settled()
    expect(new Set(chain.gateway.completed.map(({ outcome }) => outcome))).toEqual(new Set(['answered']))
    expect(chain.gateway.completed[0]?.usage).toMatchObject({ promptTokens: 7, completionTokens: 2 })
  })

  it('is answered for byte by byte when it is not streamed', async () => {
    const body = ` ${JSON.stringify(nativeResponse('Hi'), null, 2)}\n`
    await using chain = await startLanes({ native: [{ status: 200, body }] })
    const response = await chain.ask({ ...QUESTION, max_output_tokens: 50 })
    expect(await response.text()).toBe(body)
    expect(chain.first.requests[0]?.text).toBe('{"model":"m","input":"Hello?","max_output_tokens":50}')
  })

  it('is answered for when the answer is held', async () => {
    const events = nativeEvents(['One ', 'two'])
    await using chain = await startLanes({ native: [nativeStream(events)] })
    expect(await (await chain.ask(STREAMED, { 'x-backstop-buffer': '1' })).text()).toBe(events.join(''))
  })

  it.each([
    ['refuses', OVERLOADED],
    ['is cut before output', nativeStream(nativeEvents(['x']).slice(0, 4), { end: 'reset' })],
    ['ends before output', nativeStream(nativeEvents(['x']).slice(0, 3))],
    [
      'fails in its stream',
      nativeStream(['event: error\ndata: {"type":"error","message":"Backend lost."}\n\n']),
    ],
  ])('is followed by the next one where it %s', async (_, answer) => {
    await using chain = await startLanes({ native: [answer] })
    const response = await chain.ask(STREAMED)
    const text = await response.text()
    expect(response.headers.get('x-backstop-served-by')).toBe('plain/m')
    expect(text).toContain('"delta":"Chat."')
    expect(text).toContain('response.completed')
  })

  it('that is cut after output fails late, in this API’s words', async () => {
    const events = nativeEvents(['One ', 'two']).slice(0, 6)
    await using chain = await startLanes({ native: [nativeStream([...events, 'event: respo'])] })
    const text = await (await chain.ask(STREAMED)).text()
    expect(text.startsWith(events.join(''))).toBe(true)
    const last = text.slice(events.join('').length)
    expect(last).toMatch(/^event: response\.failed\n/)
    expect(JSON.parse(last.split('\n')[1]?.slice('data: '.length) ?? '')).toMatchObject({
      sequence_number: 6,
      response: { id: 'resp_upstream', status: 'failed', error: { code: 'stream_cut' } },
    })
    await chain.gateway.settled()
    expect(chain.gateway.completed[0]?.outcome).toBe('cut')
  })

  it('tells itself that it failed, in its own words', async () => {
    const failed =
      'event: response.failed\ndata: {"type":"response.failed","response":{"error":{"code":"x"}}}\n\n'
    const events = [...nativeEvents(['One ']).slice(0, 5), failed]
    await using chain = await startLanes({ native: [nativeStream(events)] })
    expect(await (await chain.ask(STREAMED)).text()).toBe(events.join(''))
    await chain.gateway.settled()
    expect(chain.gateway.completed[0]?.outcome).toBe('cut')
  })

  it('never shows the key that it was called with', async () => {
    const key = 'sk-a-key-of-this-test'
    await using chain = await startLanes({
      native: [nativeStream(nativeEvents([`Your key is ${key}.`]))],
      key,
    })
    const text = await (await chain.ask(STREAMED)).text()
    expect(text).not.toContain(key)
    expect(text).toContain('Your key is [key].')
  })
})

describe('what another account has sealed', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' }
  const input = [reasoning, { role: 'user', content: 'And?' }]

  it('is taken out where the endpoint cannot read it, and the request sent once more', async () => {
    const refusal = errorAnswer(400, {
      message: 'The encrypted content could not be verified.',
      code: 'invalid_encrypted_content',
    })
    await using chain = await startLanes({ native: [refusal, nativeStream(nativeEvents(['Hi']))] })
    const response = await chain.ask({ ...STREAMED, input })
    expect(await response.text()).toContain('"delta":"Hi"')
    const bodies = chain.first.requests.map(({ body }) => body.input)
    expect(bodies).toEqual([input, [input[1]]])
    expect(response.headers.get('x-backstop-attempts')).toBe('1')
  })
})

describe('what a translation has given out', () => {
  it('is taken back by an endpoint that never saw it', async () => {
    await using chain = await startLanes({
      native: [BROKEN, { status: 200, body: nativeResponse('Hi') }],
      chat: [chatStream(['Kept.'])],
    })
    const first = (await (await chain.ask(QUESTION)).json()) as { output: { id: string }[] }
    const [message] = first.output
    chain.clock.pass(COOLED_DOWN_MS)
    await chain.ask({
      ...QUESTION,
      input: [
        { type: 'item_reference', id: message?.id },
        { role: 'user', content: 'So?' },
      ],
    })
    expect(chain.first.requests.at(-1)?.body.input).toMatchObject([
      { role: 'assistant', content: [{ text: 'Kept.' }] },
      {},
    ])
  })
})

describe('a request that only its provider can serve', () => {
  it.each([
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['input[0]', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
  ])('%s is refused where nobody holds the state', async (param, fields) => {
    await using chain = await startLanes({ native: [nativeStream([])] })
    const response = await chain.ask({ ...QUESTION, ...fields })
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    expect(error.code).toBe('no_capable_endpoint')
    expect(error.message).toContain(`no_state: ${param}`)
    expect(error.message).toContain('"store": false')
  })

  it('goes to the endpoint that remembers', async () => {
    await using chain = await startLanes({
      native: [{ status: 200, body: nativeResponse('Hi') }],
      stateful: true,
    })
    const response = await chain.ask({ ...QUESTION, previous_response_id: 'resp_0' })
    expect(await response.json()).toMatchObject({ id: 'resp_upstream' })
    expect(chain.first.requests[0]?.body.previous_response_id).toBe('resp_0')
  })

  it('goes to an endpoint of this API where a hosted tool is forced', async () => {
    await using chain = await startLanes({ native: [{ status: 200, body: nativeResponse('Hi') }] })
    await chain.ask({ ...QUESTION, tools: [{ type: 'web_search' }] })
    expect([chain.first.calls(), chain.second.calls()]).toEqual([1, 0])
  })
})

describe('a follow-up', () => {
  it('goes to the endpoint and the key that hold its state, and to them alone', async () => {
    const first = await startUpstream([{ status: 200, body: nativeResponse('One', { id: 'resp_one' }) }])
    const second = await startUpstream([{ status: 200, body: nativeResponse('Two', { id: 'resp_two' }) }])
    const stateful = { responses: { stateful: true } }
    const clock = createVirtualClock()
    await using gateway = await startGateway(
      {
        providers: {
          one: { baseUrl: first.url, wires: stateful },
          two: { baseUrl: second.url, key: false, wires: stateful },
        },
        models: { chat: { tiers: [['one/m'], ['two/m']] } },
        settings: { retry_max_attempts: 2 },
      },
      { ONE_API_KEY: 'key-a-of-this-test,key-b-of-this-test' },
      { clock },
    )
    const ask = async (fields: object) => {
      const response = await fetch(`${gateway.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...QUESTION, ...fields }),
      })
      return { status: response.status, servedBy: response.headers.get('x-backstop-served-by') }
    }
    expect(await ask({})).toEqual({ status: 200, servedBy: 'one/m' })
    first.play([BROKEN])
    // Another answer comes from the second endpoint while the first is broken.
    expect(await ask({})).toEqual({ status: 200, servedBy: 'two/m' })
    clock.pass(COOLED_DOWN_MS)
    first.play([{ status: 200, body: nativeResponse('One more', { id: 'resp_three' }) }])
    expect(await ask({ previous_response_id: 'resp_two' })).toEqual({ status: 200, servedBy: 'two/m' })
    expect(await ask({ previous_response_id: 'resp_one' })).toEqual({ status: 200, servedBy: 'one/m' })
    const keys = new Set(first.requests.map(({ headers }) => headers.authorization))
    expect(keys.size).toBe(1)
    // The holder is gone: nobody else can serve it, however healthy.
    first.play([BROKEN])
    const calls = second.calls()
    expect((await ask({ previous_response_id: 'resp_three' })).status).toBeGreaterThanOrEqual(500)
    expect(second.calls()).toBe(calls)
    await first.close()
    await second.close()
  })
})
