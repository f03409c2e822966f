import { describe, expect, it } from 'vitest'
import { errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import type { HttpAnswer } from '../../support/upstreams/upstream-answer.ts'
import { NATIVE_APIS, startNativeChain } from './native-chain.ts'

const TEXTS = ['Grüß ', 'Gott ', '👋']
const SAID = TEXTS.join('')
/** Longer than anybody waits for an answer that shows nothing. */
const LONG = { max_tokens: 4_000, max_output_tokens: 4_000 }
const SHORT = { max_tokens: 50, max_output_tokens: 50 }
const OVERLOADED = errorAnswer(503, { message: 'The model is overloaded.' })

const streamOf = (events: readonly string[]): HttpAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  chunks: events,
})

describe.each(NATIVE_APIS)('an answer of the $api API that is asked for whole', api => {
  it('is streamed by its endpoint where another could answer instead, and put together', async () => {
    await using chain = await startNativeChain(api, [streamOf(api.eventsOf(TEXTS))])
    const response = await chain.ask(LONG)
    expect(response.headers.get('content-type')).toBe('application/json')
    const { content, output, ...fields } = (await response.json()) as Record<string, unknown>
    const { content: _, output: __, ...expected } = api.wholeOf(SAID)
    expect(fields).toEqual(expected)
    expect(JSON.stringify(content ?? output)).toContain(SAID)
    expect(chain.first.requests[0]?.body).toEqual({ ...api.question, ...LONG, model: 'm', stream: true })
    await chain.gateway.settled()
    expect(chain.gateway.completed[0]?.usage).toMatchObject({ completionTokens: 2 })
  })

  it('passes as it came where the endpoint sends it whole all the same', async () => {
    const body = ` ${JSON.stringify(api.wholeOf(SAID), null, 2)}\n`
    await using chain = await startNativeChain(api, [{ status: 200, body }])
    expect(await (await chain.ask(LONG)).text()).toBe(body)
  })

  it.each([
    ['is cut', { ...streamOf(api.eventsOf(TEXTS).slice(0, -3)), end: 'reset' as const }],
    ['ends too early', streamOf(api.eventsOf(TEXTS).slice(0, -3))],
    ['is silent', { fault: 'no-response' as const }],
    ['falls silent', { ...streamOf(api.eventsOf(TEXTS).slice(0, -3)), end: 'silence' as const }],
    ['refuses', OVERLOADED],
  ])('is given by the next endpoint where the first one %s', async (_, answer) => {
    await using chain = await startNativeChain(api, [answer])
    const began = chain.clock.now()
    expect(await (await chain.ask(LONG)).text()).toContain('Chat.')
    expect(chain.clock.now() - began).toBeLessThan(40_000)
  })

  it.each([
    ['is short', SHORT, [{ status: 200, body: api.wholeOf(SAID) }]],
    ['comes from the last endpoint', LONG, [OVERLOADED]],
  ])('is asked for as the client wrote it where it %s', async (_, fields, answers) => {
    await using chain = await startNativeChain(api, answers)
    await (await chain.ask(fields)).text()
    const alone = { ...chain.first.requests[0]?.body }
    if (fields === SHORT) expect(alone).toEqual({ ...api.question, ...fields, model: 'm' })
    else expect(chain.second.requests[0]?.body.messages).toBeDefined()
  })
})

it('is asked for as the client wrote it where the work is done in the background', async () => {
  const queued = { id: 'resp_1', object: 'response', status: 'queued', output: [] }
  await using upstream = await startUpstream([{ status: 200, body: queued }])
  const provider = { baseUrl: upstream.url, key: false, wires: { responses: { stateful: true } } }
  await using gateway = await startGateway({
    providers: { one: provider, two: provider },
    models: { chat: { tiers: [['one/m'], ['two/m']] } },
  })
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', input: 'Hi', background: true }),
  })
  expect(await response.json()).toEqual(queued)
  expect(upstream.requests[0]?.body).toEqual({ model: 'm', input: 'Hi', background: true })
})
