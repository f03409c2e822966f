import { describe, expect, it } from 'vitest'
import { endpointNamed, failureOf } from '../core/build.ts'
import { ask } from '../support/ask.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, createWorld, startGateway } from '../support/start-gateway.ts'
import type { FleetStore } from '../../lambdas/store/fleet-store.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance } from './instances/engine-instance.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'

const open = endAfterEach()
const serverError = () => failureOf({ kind: 'server_error', scope: 'provider', status: 500 })

type Row = { endpoint: string; health: string; breaker: string; cooldowns: unknown[] }

async function rowsOf(gateway: { url: string }): Promise<Row[]> {
  const { data } = (await (await fetch(`${gateway.url}/v1/endpoints`)).json()) as { data: Row[] }
  return data
}

describe('the outage of a whole provider', () => {
  it('opens its breaker and no other, sends traffic round it, and is over within one open period', async () => {
    const clock = createVirtualClock()
    const ill = open(await startUpstream([errorAnswer(500, { message: 'The server had an error.' })]))
    const well = open(await startUpstream([chatStream(['round'])]))
    const models = Object.fromEntries(
      [0, 1, 2].map(index => [`alias-${index}`, { tiers: [[`ill/m${index}`, 'well/m']] }]),
    )
    const providers = {
      ill: { baseUrl: ill.url, key: false },
      well: { baseUrl: well.url, key: false },
    }
    const gateway = open(
      await startGateway({ providers, models, settings: { breaker_open_ms: 2_000 } }, {}, { clock }),
    )
    const asked = (count: number) => ask(gateway, { model: `alias-${count % 3}` })
    const breakers = async () =>
      Object.fromEntries((await rowsOf(gateway)).map(({ endpoint, breaker }) => [endpoint, breaker]))

    for (let count = 0; count < 5; count += 1) {
      expect((await asked(count)).headers.get('x-backstop-attempts')).toBe('2')
    }
    const opened = { 'ill/m0': 'open', 'ill/m1': 'open', 'ill/m2': 'open', 'well/m': 'closed' }
    await expect.poll(breakers).toEqual(opened)
    const answer = await asked(0)
    expect(answer.headers.get('x-backstop-attempts')).toBe('1')
    expect(answer.headers.get('x-backstop-skipped')).toMatch(/^ill\/m0;breaker_open;\d+$/)
    expect(ill.calls()).toBe(5)

    ill.play([chatStream(['back'])])
    const servedBy = async () => (await asked(1)).headers.get('x-backstop-served-by')
    clock.pass(2_000)
    expect(await servedBy()).toBe('ill/m1')
    await expect.poll(breakers).toMatchObject({ 'ill/m0': 'closed', 'ill/m1': 'closed' })
    expect((await rowsOf(gateway)).every(({ health }) => health === 'healthy')).toBe(true)
    expect(gateway.completed.every(({ outcome }) => outcome === 'answered')).toBe(true)
  })

  it('tells whoever loses the trial how long it may take', async () => {
    const { clock, store: memory } = createWorld()
    const failing = errorAnswer(500, { message: 'The server had an error.' })
    const ill = open(await startUpstream([failing], { clock }))
    const settings = { breaker_min_requests: 1, breaker_open_ms: 1_000 }
    const store: FleetStore = {
      ...memory,
      // As far away as a table is: so that all have asked before one of them has won.
      putStateItems: async (...write) => (
        await clock.sleep(20, new AbortController().signal),
        memory.putStateItems(...write)
      ),
    }
    const gateway = open(
      await startGateway(configOf({ ill: ill.url }, [['ill/m']], settings), {}, { clock, store }),
    )
    await ask(gateway)
    ill.play([{ headersDelayMs: 500, ...chatStream(['back']) }])
    clock.pass(1_000)
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(gateway)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 503, 503, 503, 503])
    for (const { status, headers } of answers) {
      if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(5)
    }
  })

  it('costs one call for each opening, although there is nobody else to ask', async () => {
    const ill = open(await startUpstream([errorAnswer(500, { message: 'The server had an error.' })]))
    const settings = { breaker_min_requests: 1, breaker_open_ms: 1_000, retry_total_wait_ms: 0 }
    const clock = createVirtualClock()
    const gateway = open(await startGateway(configOf({ ill: ill.url }, [['ill/m']], settings), {}, { clock }))
    const openings = () =>
      gateway.lines.filter(
        line => 'event' in line && line.event === 'breaker-transition' && 'to' in line && line.to === 'open',
      )
    await expect
      .poll(async () => {
        clock.pass(100)
        await ask(gateway)
        return openings().length
      })
      .toBe(4)
    expect(ill.calls()).toBe(4)
  })

  it('that a request notices in its own first try is no reason to try again', async () => {
    const ill = open(await startUpstream([errorAnswer(500, { message: 'The server had an error.' })]))
    const gateway = open(
      await startGateway(configOf({ ill: ill.url }, [['ill/m']], { breaker_min_requests: 1 })),
    )
    const answer = await ask(gateway)
    expect(answer.headers.get('x-backstop-attempts')).toBe('1')
    expect(answer.headers.get('x-backstop-skipped')).toMatch(/^ill\/m;breaker_open;\d+$/)
    expect(ill.calls()).toBe(1)
  })

  async function brokenProvider(ms = 60_000) {
    const clock = createFakeClock()
    const store = createMemoryStore(clock)
    const upstream = open(await startUpstream([chatStream(['ok'])]))
    const [one, two] = [
      endpointNamed('up/one', { baseUrl: upstream.url }),
      endpointNamed('up/two', { baseUrl: upstream.url }),
    ] as const
    const endpoints = [one, two, endpointNamed('other/m')]
    const instance = open(createInstance({ store, clock, endpoints, settings: { breaker_open_ms: ms } }))
    for (const endpoint of [one, one, one, two, two]) {
      await instance.request({ endpoint, failure: serverError() })
    }
    const kinds = () => store.items().map(({ key }) => key)
    return { clock, store, instance, upstream, one, two, kinds }
  }

  it('is found to be over by a probe run where there is no traffic, and that lifts the benches', async () => {
    const { clock, instance, upstream, kinds } = await brokenProvider()
    expect(kinds().toSorted()).toEqual(['breaker#endpoint#up/one', 'breaker#provider#up'])
    expect(await instance.probe()).toEqual([])
    clock.pass(60_000)
    expect(await instance.probe()).toMatchObject([{ provider: 'up', outcome: 'ok' }])
    expect(upstream.calls()).toBe(1)
    expect(kinds()).toEqual([])
  })

  it('is tried by a probe run through an endpoint that may be asked, never through one that must wait', async () => {
    const { clock, instance, upstream, one, two } = await brokenProvider()
    const limited = { kind: 'site_capacity', scope: 'model', status: 429, retryAfterMs: 600_000 } as const
    await instance.request({ endpoint: one, failure: failureOf(limited) })
    clock.pass(60_000)
    expect(await instance.probe()).toMatchObject([{ endpoint: two.name, outcome: 'ok' }])
    expect(upstream.calls('one')).toBe(0)
  })

  it('is tried again through a benched endpoint too, whose bench stays as it was meanwhile', async () => {
    const { clock, store, instance, one } = await brokenProvider(1_000)
    expect((await instance.plan(one)).skipped).toMatchObject([{ reason: 'breaker_open' }])
    clock.pass(1_000)
    const { candidates } = await instance.plan(one)
    expect(candidates).toMatchObject([{ endpoint: { name: 'up/one' }, trial: [{ scope: 'provider#up' }] }])
    const bench = () => store.items().find(({ key }) => key === 'breaker#endpoint#up/one')
    const before = bench()
    expect(before).toBeDefined()
    await instance.trial(one, serverError())
    expect((await instance.plan(one)).candidates).toEqual([])
    expect(bench()).toEqual(before)
    clock.pass(1_000)
    await instance.trial(one, null)
    expect(store.items()).toEqual([])
  })

  it('is not held against a provider by failures that began before its breaker opened', async () => {
    const { clock, instance, store, one } = await brokenProvider()
    const breaker = () => store.items().find(({ key }) => key === 'breaker#provider#up')
    const before = breaker()
    clock.pass(30_000)
    await instance.request({ endpoint: one, failure: serverError() })
    expect(breaker()).toEqual(before)
    expect(before).toMatchObject({ breaker: { state: 'open', guess: { openedAt: clock.now() - 30_000 } } })
  })
})

describe('rate limits', () => {
  it('and refused requests never open the breaker of a provider, nor a bench', async () => {
    const clock = createFakeClock()
    const store = createMemoryStore(clock)
    const one = endpointNamed('up/one')
    const instance = open(createInstance({ store, clock, endpoints: [one] }))
    const refused = [
      failureOf({ kind: 'rate_limit', scope: 'key', status: 429, retryAfterMs: 1 }),
      failureOf({ kind: 'bad_request', scope: 'request', status: 400 }),
      failureOf({ kind: 'loading', scope: 'model', status: 503, retryAfterMs: 1 }),
      failureOf({ kind: 'site_capacity', scope: 'model', status: 429, retryAfterMs: 1 }),
    ]
    for (const failure of [...refused, ...refused]) await instance.request({ endpoint: one, failure })
    expect(store.items().every(({ key }) => key.startsWith('breaker#limit#'))).toBe(true)
  })
})
