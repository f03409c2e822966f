import { describe, expect, it, test } from 'vitest'
import { ask, type Answer } from '../support/ask.ts'
import { startGateway } from '../support/start-gateway.ts'
import { chatCompletion, chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { NATIVE_APIS } from './native/native-chain.ts'
import type { UpstreamAnswer } from '../support/upstreams/upstream-answer.ts'

/** 5 tokens in and 1 out, as the test upstreams count: 0.0002 dollars. */
const PRICE = { input: 20, output: 100 }

const configured = (urls: readonly string[], price: object | null = PRICE) => ({
  providers: Object.fromEntries(urls.map((baseUrl, index) => [`host${index}`, { baseUrl, key: false }])),
  models: {
    chat: { tiers: urls.map((_, index) => [{ endpoint: `host${index}/m`, ...(price ? { price } : {}) }]) },
  },
})

async function askOne(answers: readonly UpstreamAnswer[], body: object, price: object | null = PRICE) {
  const upstreams = await Promise.all(answers.map(answer => startUpstream([answer])))
  await using gateway = await startGateway(
    configured(
      upstreams.map(({ url }) => url),
      price,
    ),
  )
  const answer = await ask(gateway, body)
  await gateway.close()
  await Promise.all(upstreams.map(upstream => upstream.close()))
  return { answer, line: gateway.completed[0] }
}

const costsIn = ({ events }: Answer): unknown[] =>
  events
    .filter(event => event.startsWith('{'))
    .map(event => (JSON.parse(event) as { usage?: { cost?: number } | null }).usage?.cost)
    .filter(cost => cost !== undefined)

const STREAMED = { stream: true, stream_options: { include_usage: true } }

describe('the cost of an answer', () => {
  it('stands in a header where it comes whole, and in the log', async () => {
    const { answer, line } = await askOne([chatCompletion('here')], { stream: false })
    expect(answer.headers.get('x-backstop-cost')).toBe('0.0002')
    expect(line).toMatchObject({ dollars: 0.0002, lostDollars: 0 })
  })

  it('stands in the usage of a stream, for clients that ask for usage', async () => {
    const { answer, line } = await askOne([chatStream(['here'])], STREAMED)
    expect(answer.headers.get('x-backstop-cost')).toBeNull()
    expect(costsIn(answer)).toEqual([0.0002])
    expect(line).toMatchObject({ dollars: 0.0002 })
  })

  it('is not shown to one that did not, and is in the log all the same', async () => {
    const { answer, line } = await askOne([chatStream(['here'])], { stream: true })
    expect(costsIn(answer)).toEqual([])
    expect(line).toMatchObject({ dollars: 0.0002 })
  })

  test.each([
    ['whole', { stream: false }],
    ['streamed', STREAMED],
  ])("is the upstream's own figure where it tells one, %s", async (_, body) => {
    const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6, cost: 0.0071 }
    const { answer, line } = await askOne([chatStream(['here'], { usage })], body)
    expect(body.stream ? costsIn(answer) : [Number(answer.headers.get('x-backstop-cost'))]).toEqual([0.0071])
    expect(line).toMatchObject({ dollars: 0.0071 })
  })

  it.each(NATIVE_APIS)('stands in the header of a whole answer in the API of $path too', async api => {
    await using upstream = await startUpstream([{ status: 200, body: api.wholeOf('here') }])
    const { providers, models } = configured([upstream.url])
    const host0 = { ...providers['host0'], wires: { [api.api]: {} } }
    await using gateway = await startGateway({ providers: { host0 }, models })
    const response = await fetch(`${gateway.url}${api.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(api.question),
    })
    expect(await response.text()).toContain('here')
    await gateway.settled()
    const [line] = gateway.completed
    expect(line?.dollars).toBeGreaterThan(0)
    expect(Number(response.headers.get('x-backstop-cost'))).toBe(line?.dollars)
  })

  it('is 0 where the model is free, which is something else than not known', async () => {
    const free = { input: 0, output: 0 }
    const whole = await askOne([chatCompletion('here')], { stream: false }, free)
    expect(whole.answer.headers.get('x-backstop-cost')).toBe('0')
    const { answer, line } = await askOne([chatStream(['here'])], STREAMED, free)
    expect(costsIn(answer)).toEqual([0])
    expect(line).toMatchObject({ dollars: 0 })
  })

  it('is written in plain decimals, however little it is', async () => {
    const cheap = { input: 0.01, output: 0 }
    const { answer } = await askOne([chatCompletion('here')], { stream: false }, cheap)
    expect(answer.headers.get('x-backstop-cost')).toBe('0.00000005')
  })

  it('is left out where no price is known', async () => {
    const { answer, line } = await askOne([chatCompletion('here')], { stream: false }, null)
    expect(answer.headers.get('x-backstop-cost')).toBeNull()
    expect(line).toMatchObject({ dollars: null, lostDollars: 0 })
  })
})

describe('what gave no whole answer', () => {
  it('costs nothing where it was refused', async () => {
    const refused = errorAnswer(429, { message: 'Slow down.' })
    const { line } = await askOne([refused, chatCompletion('here')], { stream: false })
    expect(line).toMatchObject({ dollars: 0.0002, lostDollars: 0 })
  })

  it('is counted apart where a held answer broke off', async () => {
    const cut = chatStream(['one ', 'two '], { finish: null })
    const { line } = await askOne([cut, chatCompletion('here')], { stream: false })
    expect(line?.dollars).toBe(0.0002)
    expect(line?.lostDollars).toBeGreaterThan(0.0002)
  })

  it('is counted apart where a stream was cut', async () => {
    const { line } = await askOne([chatStream(['one ', 'two '], { finish: null })], STREAMED)
    expect(line).toMatchObject({ outcome: 'cut', dollars: null })
    // Two events of output, and the prompt by estimate.
    expect(line?.lostDollars).toBeGreaterThan(2 * 0.0001)
  })
})
