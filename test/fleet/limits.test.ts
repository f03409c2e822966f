import { describe, expect, it, test } from 'vitest'
import { configOf, startGateway } from '../support/start-gateway.ts'
import { startMoodyUpstream, type Mood } from '../support/upstreams/moody-upstream.ts'
import { createTraffic } from '../support/traffic.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'
import { ask } from '../support/ask.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { endpointNamed, failureOf } from '../core/build.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance } from './instances/engine-instance.ts'

const open = endAfterEach()
const SECOND = 1_000
const MINUTE = 60 * SECOND
const NOT_LOCAL = { local_cooldown_max_ms: 3_600_000 }

async function startAlone() {
  const clock = createVirtualClock()
  const upstream = open(await startMoodyUpstream(clock.now))
  const gateway = open(
    await startGateway(configOf({ up: upstream.url }, [['up/m']], NOT_LOCAL), {}, { clock }),
  )
  return { clock, upstream, gateway, traffic: createTraffic(gateway, clock) }
}

describe('a provider that takes two requests at a time and gives no hint', () => {
  it.each([
    ['says so', 'Too many concurrent requests'],
    ['does not say so', 'Too many requests'],
  ])(
    'is used for most of what it can do: it %s',
    async (_, message) => {
      const clock = createVirtualClock()
      const takesMs = 2 * SECOND
      let running = 0
      let answered = 0
      const upstream = open(
        await startUpstream(
          async () => {
            if (running >= 2) return errorAnswer(429, { message })
            running += 1
            await clock.sleep(takesMs, new AbortController().signal)
            running -= 1
            answered += 1
            return chatStream(['here'])
          },
          { clock },
        ),
      )
      const gateway = open(
        await startGateway(configOf({ up: upstream.url }, [['up/m']], NOT_LOCAL), {}, { clock }),
      )
      const traffic = createTraffic(gateway, clock)
      await traffic.flow(2 * MINUTE, 400)
      await traffic.rest()
      expect(answered).toBeGreaterThanOrEqual(0.7 * ((2 * 2 * MINUTE) / takesMs))
    },
    60_000,
  )
})

describe('one refusal is no sentence', () => {
  const rows: [string, Mood, number][] = [
    ['a bare 403', { status: 403, body: '{}' }, 60],
    [
      'a block page',
      {
        status: 403,
        body: '<html><title>Attention Required! | Cloudflare</title></html>',
        headers: { 'content-type': 'text/html' },
      },
      15,
    ],
  ]
  test.each(rows)('%s: back soon', async (_, mood, seconds) => {
    const { clock, upstream, traffic } = await startAlone()
    await upstream.turn(mood)
    await traffic.flow(SECOND, SECOND)
    await upstream.turn('well')
    const backAt = clock.now()
    const isBack = (): boolean => traffic.served.some(({ answer }) => answer.content === 'here')
    await traffic.flow(5 * MINUTE, SECOND, { until: isBack })
    expect(clock.now() - backAt).toBeLessThanOrEqual((seconds + 1) * SECOND)
    await traffic.rest()
  })

  it('an empty account that is topped up is back with the next call after a minute', async () => {
    const { clock, upstream, gateway } = await startAlone()
    const body = JSON.stringify({ error: { message: 'Insufficient credits. Add more to continue.' } })
    await upstream.turn({ status: 402, body })
    await ask(gateway)
    const refused = await ask(gateway)
    expect([refused.status, upstream.calls.length]).toEqual([429, 1])
    await upstream.turn('well')
    clock.pass(MINUTE)
    expect((await ask(gateway)).content).toBe('here')
  })

  it('or with one probe, which closes what money had opened', async () => {
    const clock = createFakeClock()
    const upstream = open(await startUpstream([chatStream(['ok'])]))
    const endpoint = endpointNamed('up/m', { baseUrl: upstream.url })
    const instance = open(createInstance({ store: createMemoryStore(clock), clock, endpoints: [endpoint] }))
    const failure = failureOf({ kind: 'quota_exhausted', class: 'non_retryable', scope: 'key', status: 402 })
    await instance.request({ endpoint, failure })
    expect((await instance.plan(endpoint)).candidates).toEqual([])
    expect(await instance.probe({ only: endpoint.id })).toMatchObject([{ outcome: 'ok' }])
    expect((await instance.plan(endpoint)).candidates).toHaveLength(1)
  })
})

describe('siblings on the same host and key', () => {
  const faults: [string, Mood][] = [
    ['500', { status: 500 }],
    [
      '502 of a page',
      { status: 502, body: '<html>Bad Gateway</html>', headers: { 'content-type': 'text/html' } },
    ],
    ['503 that states a wait', { status: 503, headers: { 'retry-after': '300' } }],
    [
      '503 overloaded',
      { status: 503, body: JSON.stringify({ error: { message: 'The model is overloaded.' } }) },
    ],
    [
      '404',
      {
        status: 404,
        body: JSON.stringify({ error: { message: 'The model `m` does not exist', code: 'model_not_found' } }),
      },
    ],
    [
      '410',
      { status: 410, body: JSON.stringify({ error: { message: 'This model has been decommissioned.' } }) },
    ],
    [
      '403',
      { status: 403, body: JSON.stringify({ error: { message: 'You are not allowed to use this model.' } }) },
    ],
    [
      '403 of a page',
      { status: 403, body: '<html>Forbidden</html>', headers: { 'content-type': 'text/html' } },
    ],
    [
      '429',
      { status: 429, body: JSON.stringify({ error: { message: 'Rate limit reached for model `sick`.' } }) },
    ],
    ['silence', 'silent'],
  ]
  const paces = [1, 5]
  const mixes = [1, 4]
  const rows = faults.flatMap(([name, mood]) =>
    paces.flatMap(perSecond => mixes.map(mix => [name, perSecond, mix, mood] as const)),
  )
  test.each(rows)(
    'are never barred for one that is sick: %s, %d a second, every %d. request for it',
    async (_, perSecond, mix, mood) => {
      const clock = createVirtualClock()
      const upstream = open(await startMoodyUpstream(clock.now))
      const providers = { up: { baseUrl: upstream.url, key: false } }
      const models = { sick: { tiers: [['up/sick']] }, well: { tiers: [['up/well']] } }
      const settings = { ...NOT_LOCAL, first_byte_deadline_ms: 5_000 }
      const gateway = open(await startGateway({ providers, models, settings }, {}, { clock }))
      await upstream.turn(mood, 'sick')
      const traffic = createTraffic(gateway, clock)
      const body = (index: number) => ({ model: index % (mix + 1) < mix ? 'sick' : 'well' })
      await traffic.flow(30 * SECOND, SECOND / perSecond, { body })
      await traffic.rest()
      const wells = gateway.completed.filter(({ alias }) => alias === 'well')
      expect(wells.length).toBeGreaterThan(2)
      expect(wells.filter(({ outcome }) => outcome !== 'answered')).toEqual([])
    },
    60_000,
  )
})

describe("a client's own fields", () => {
  const fields = [
    { provider: { data_collection: 'deny' } },
    { provider: { only: ['nobody'] } },
    { service_tier: 'flex' },
    { models: ['other/m'] },
    { plugins: [{ id: 'web' }] },
    { my_own_field: 1 },
  ]
  const refusals: [string, Mood][] = [
    [
      '404',
      {
        status: 404,
        body: JSON.stringify({ error: { message: 'No endpoints found matching your data policy.' } }),
      },
    ],
    ['429', { status: 429, body: JSON.stringify({ error: { message: 'Flex resources are unavailable.' } }) }],
    ['403', { status: 403, body: JSON.stringify({ error: { message: 'Not allowed.' } }) }],
  ]
  const rows = fields.flatMap(own =>
    refusals.flatMap(([name, mood]) =>
      'my_own_field' in own && name === '404' ? [] : [[JSON.stringify(own), name, own, mood] as const],
    ),
  )
  test.each(rows)('%s, refused with %s, bar nobody else', async (_, __, own, mood) => {
    const { clock, upstream, gateway } = await startAlone()
    await upstream.turn(mood)
    for (let count = 0; count < 6; count += 1) await ask(gateway, own)
    await gateway.settled()
    await upstream.turn('well')
    clock.pass(2_001)
    expect((await ask(gateway)).content).toBe('here')
    const { data } = (await (await fetch(`${gateway.url}/v1/endpoints`)).json()) as { data: unknown[] }
    expect(data).toMatchObject([{ health: 'healthy', breaker: 'closed', cooldowns: [] }])
  })
})
