import { describe, expect, it } from 'vitest'
import { explainOrder } from '../../infra/operate/views/explain-order.ts'
import { explainRequest } from '../../infra/explain/explain-request.ts'
import { completedLineSchema, orderSchema } from '../../infra/local-contract.ts'
import { plain } from '../../infra/terminal/paint.ts'
import { endAfterEach } from '../fleet/instances/end-after-each.ts'
import { ask } from '../support/ask.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'
import { startGateway } from '../support/start-gateway.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'

const open = endAfterEach()
const FAILING = errorAnswer(500, { message: 'Internal error' })

/** A failing replica, listed first, and one that answers after half a second, for two dollars a million tokens. */
async function start(more: object = {}) {
  const clock = createVirtualClock()
  const ill = open(await startUpstream([FAILING], { clock }))
  const well = open(await startUpstream([{ headersDelayMs: 500, ...chatStream(['Done.']) }], { clock }))
  const gateway = open(
    await startGateway(
      {
        providers: { ill: { baseUrl: ill.url, key: false }, well: { baseUrl: well.url, key: false } },
        models: {
          chat: {
            tiers: [['ill/m', { endpoint: 'well/m', price: { input: 2, output: 4 } }]],
            strategy: 'balanced',
            ...more,
          },
        },
      },
      {},
      { clock },
    ),
  )
  async function request(): Promise<void> {
    await ask(gateway)
    await gateway.settled()
    clock.pass(2_000)
  }
  const order = async (model = 'chat') => {
    const response = await fetch(`${gateway.url}/v1/endpoints?model=${model}`)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return { clock, gateway, request, order, ill }
}

describe('the order of an alias', () => {
  it('is shown with each factor, to programs and to people', async () => {
    const { request, order, gateway } = await start()
    for (const _ of [1, 2, 3, 4, 5]) await request()
    const { body } = await order()
    expect(body).toMatchObject({
      model: 'chat',
      strategy: 'balanced',
      data: [
        {
          endpoint: 'well/m',
          tier: 1,
          place: 1,
          health: 'healthy',
          successes: 5,
          skipped: null,
          rank: { by: 'balanced', dollars: 0.004, headroom: 1, factors: { first_output: 1, price: 1 } },
        },
        {
          endpoint: 'ill/m',
          tier: 1,
          place: 2,
          rank: { dollars: null, first_output_ms: null },
          skipped: null,
        },
      ],
    })
    const lines = explainOrder(orderSchema.parse(body), Date.now(), plain)
    expect(lines[0]).toBe('chat  strategy balanced')
    expect(lines[2]).toBe('  1. tier 1  well/m')
    expect(lines[3]).toMatch(
      /^ {7}balanced: score 0\.\d+, answers \d\d % of calls, first output in \d+ ms, .*about \$0\.004 a request$/,
    )
    expect(lines.at(-1)).toMatch(/^ {7}balanced: score 0\.0\d+, answers \d\d % of calls$/)

    const line = gateway.completed.at(-1)
    expect(line?.plan.candidates[0]).toMatchObject({
      endpoint: 'well/m',
      rank: { by: 'balanced', score: expect.any(Number) },
    })
    expect(explainRequest(completedLineSchema.parse(line), plain).join('\n')).toMatch(
      /1\. tier 1 {2}well\/m\n {7}balanced: score 0\.\d+, answers \d\d % of calls/,
    )
  })

  it('ends with what is skipped, and why', async () => {
    const { clock, gateway, order, ill } = await start({ strategy: 'priority' })
    for (const _ of [1, 2, 3]) {
      await ask(gateway)
      await gateway.settled()
      clock.pass(2_000)
    }
    expect(ill.calls()).toBe(3)
    const { body } = await order()
    expect(body).toMatchObject({
      data: [
        { endpoint: 'well/m', place: 1 },
        {
          endpoint: 'ill/m',
          place: null,
          rank: null,
          skipped: { reason: 'cooldown', cause: 'server_error' },
        },
      ],
    })
    expect(explainOrder(orderSchema.parse(body), 0, plain).slice(-2)).toEqual([
      'Skipped',
      expect.stringMatching(/^ {2}tier 1 {2}ill\/m: cooldown \(cooling down after server_error; until /),
    ])
  })

  it('is shown by a dry run', async () => {
    const { request, gateway } = await start()
    await request()
    const { text } = await ask(gateway, {}, { 'x-backstop-dry-run': '1' })
    const { candidates } = JSON.parse(text) as { candidates: unknown[] }
    expect(candidates).toContainEqual(
      expect.objectContaining({
        endpoint: 'well/m',
        rank: expect.objectContaining({ by: 'balanced', first_output_ms: null }),
      }),
    )
  })

  it('is that of weights where there are some, and the listed one without a strategy', async () => {
    const weighted = await start({ tiers: [['ill/m', { endpoint: 'well/m', weight: 3 }]] })
    expect((await weighted.order()).body).toMatchObject({
      data: [
        { endpoint: 'well/m', rank: { by: 'weight', weight: 3 } },
        { endpoint: 'ill/m', rank: { by: 'weight', weight: 1 } },
      ],
    })
    const listed = await start({ strategy: 'priority' })
    const { body } = await listed.order()
    expect(body).toMatchObject({
      data: [
        { endpoint: 'ill/m', rank: null },
        { endpoint: 'well/m', rank: null },
      ],
    })
    expect(explainOrder(orderSchema.parse(body), 0, plain)).toEqual([
      'chat  strategy priority',
      '',
      '  1. tier 1  ill/m',
      '  2. tier 1  well/m',
    ])
  })

  it('is not shown of a model that does not exist', async () => {
    const { order } = await start()
    expect(await order('chta')).toMatchObject({
      status: 404,
      body: { error: { code: 'model_not_found', message: expect.stringContaining("'chat'") } },
    })
  })

  it('a client that wants no fallback gets the endpoint that is first this time', async () => {
    const { request, gateway } = await start()
    for (const _ of [1, 2, 3]) await request()
    const { headers } = await ask(gateway, {}, { 'x-backstop-fallback': 'off' })
    expect(headers.get('x-backstop-served-by')).toBe('well/m')
  })
})
