import { describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { chatCompletion, chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../support/start-gateway.ts'
import type { UpstreamAnswer } from '../support/upstreams/upstream-answer.ts'
import { countedIn, writtenFor } from '../platform/written-lines.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'

const PROMPT = 'Whose horse was it that crossed the frozen lake at Mjøsa that night?'
const ANSWER = 'It was the horse of the miller, who had sold it twice before.'
const CLIENT_KEY = 'client-key-that-nobody-may-see-4711'
const PROVIDER_KEY = 'sk-provider-key-that-nobody-may-see-0815'

/** Everything that says too much: prompts and keys in errors, answers in the wrong shape. */
const INDISCREET: [string, UpstreamAnswer][] = [
  ['an error that quotes the prompt', errorAnswer(400, { message: `Cannot parse: '${PROMPT}'` })],
  [
    'an error that quotes the key',
    errorAnswer(401, { message: `Incorrect API key provided: ${PROVIDER_KEY}.` }),
  ],
  ['an answer as plain text', { status: 200, body: ANSWER }],
  ['an answer that breaks off', chatStream([ANSWER.slice(0, 30), ANSWER.slice(30)], { finish: null })],
  ['an answer', chatStream([ANSWER])],
  ['a whole answer', chatCompletion(ANSWER)],
]

describe('prompts, answers and keys never reach the log', () => {
  it.each(INDISCREET)('not with %s', async (_, indiscreet) => {
    await using first = await startUpstream([indiscreet])
    await using second = await startUpstream([chatStream([ANSWER])])
    const config = {
      providers: { one: { baseUrl: first.url }, two: { baseUrl: second.url, key: false } },
      models: { chat: { tiers: [['one/m'], ['two/m']] } },
    }
    const variables = { ONE_API_KEY: PROVIDER_KEY, BACKSTOP_CLIENT_KEYS: CLIENT_KEY }
    await using gateway = await startGateway(config, variables)
    for (const stream of [true, false]) {
      const messages = [{ role: 'user', content: PROMPT }]
      await ask(gateway, { messages, stream }, { authorization: `Bearer ${CLIENT_KEY}` })
    }
    await ask(gateway, { messages: PROMPT }, { authorization: `Bearer ${CLIENT_KEY}` })
    await ask(gateway, {}, { authorization: 'Bearer wrong-key-of-somebody-else' })
    await gateway.close()
    expect(gateway.completed).toHaveLength(2)
    const log = writtenFor(gateway.lines, { chat: 'one/m' })
      .map(line => JSON.stringify(line))
      .join('\n')
    for (const secret of [PROMPT, ANSWER, CLIENT_KEY, PROVIDER_KEY, 'wrong-key-of-somebody-else']) {
      for (const part of [secret.slice(0, 24), secret.slice(8, 32)]) expect(log).not.toContain(part)
    }
  })
})

describe('what a request costs of our own time', () => {
  it('leaves out what upstreams and deliberate waits take', async () => {
    const busy = errorAnswer(503, { message: 'busy' }, { 'retry-after-ms': '300' })
    const clock = createVirtualClock()
    const script = [
      { ...busy, headersDelayMs: 200 },
      { ...chatStream(['a']), headersDelayMs: 200 },
    ]
    await using upstream = await startUpstream(script, { clock })
    await using gateway = await startGateway(configOf({ one: upstream.url }, [['one/m']]), {}, { clock })
    await ask(gateway, { stream: true })
    // The line is written behind the last byte.
    await gateway.close()
    const [line] = gateway.completed
    expect(line?.attempts).toHaveLength(2)
    expect(line?.durationMs).toBeGreaterThanOrEqual(700)
    expect(line?.overheadMs).toBe(0)
  })
})

describe('refused requests', () => {
  it('count as rejected, but for callers without a key, who share one line', async () => {
    await using upstream = await startUpstream([chatStream(['a'])])
    const config = configOf({ one: upstream.url }, [['one/m']])
    await using gateway = await startGateway(config, { BACKSTOP_CLIENT_KEYS: CLIENT_KEY })
    for (const _ of [1, 2, 3]) await ask(gateway, {}, { authorization: 'Bearer wrong' })
    await ask(gateway, { model: 'none' }, { authorization: `Bearer ${CLIENT_KEY}` })
    await ask(gateway, { messages: [] }, { authorization: `Bearer ${CLIENT_KEY}` })
    const written = writtenFor(gateway.lines, { chat: 'one/m' })
    expect(written.map(({ event, code }) => [event, code])).toEqual([
      ['request-rejected', 'invalid_api_key'],
      ['request-rejected', 'model_not_found'],
      ['request-rejected', 'invalid_request'],
    ])
    expect(countedIn(written)).toEqual(['Rejected{} 1 Count', 'Rejected{} 1 Count'])
  })
})

it('prices an answer where its endpoint has a price', async () => {
  await using upstream = await startUpstream([chatCompletion('hi')])
  const priced = { endpoint: 'one/m', price: { input: 2, output: 10 } }
  await using gateway = await startGateway(configOf({ one: upstream.url }, [[priced]]))
  await ask(gateway)
  await gateway.close()
  const usage = { promptTokens: 5, completionTokens: 1 }
  expect(gateway.completed[0]).toMatchObject({ usage, dollars: (5 * 2 + 1 * 10) / 1e6 })
})
