import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../lambdas/core/endpoint.ts'
import { endpointNamed, failureOf, rateLimit, timed } from '../core/build.ts'
import { ask } from '../support/ask.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { createMemoryStore, type MemoryStore } from '../support/tables/memory-store.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../support/start-gateway.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance } from './instances/engine-instance.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'

const open = endAfterEach()
const MINUTE = 60_000
const KEYS = new Map([['a', ['k1', 'k2', 'k3']]])

function start(endpoints: readonly Endpoint[], keys?: ReadonlyMap<string, readonly string[]>) {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const options = { store, clock, endpoints, ...(keys ? { keys } : {}) }
  const instance = () => open(createInstance(options))
  return { clock, store, instance }
}

const one = endpointNamed('a/one')
const two = endpointNamed('a/two')

/** When the guesses of the table end. */
const guessesOf = (store: MemoryStore): number[] =>
  store
    .items()
    .flatMap(item =>
      item.kind === 'breaker' && item.breaker.state !== 'closed' ? (item.breaker.guess?.until ?? []) : [],
    )

describe('a rate limit', () => {
  it('cools exactly the stated time, for every instance, and says nothing about health', async () => {
    const { clock, store, instance } = start([one])
    await instance().request({ endpoint: one, failure: rateLimit({ retryAfterMs: 7_000 }) })
    const other = instance()
    const until = clock.now() + 7_000
    expect((await other.plan(one)).skipped).toMatchObject([
      { reason: 'cooldown', until, cause: 'rate_limit' },
    ])
    clock.pass(6_999)
    expect((await other.plan(one)).candidates).toEqual([])
    clock.pass(1)
    expect((await other.plan(one)).candidates).toHaveLength(1)
    expect(store.items().map(({ key }) => key)).toEqual(['breaker#limit#model#a/one'])
  })

  it('is not shortened by a shorter one, nor by what was under way and succeeds', async () => {
    const { clock, store, instance } = start([one])
    const [first, second] = [instance(), instance()]
    const under = { endpoint: one, key: null, requestId: 'under-way', startedAt: clock.now() }
    clock.pass(100)
    await first.request({ endpoint: one, failure: rateLimit({ retryAfterMs: 30_000 }) })
    const until = clock.now() + 30_000
    await first.request({ endpoint: one, failure: rateLimit({ retryAfterMs: 1_000 }) })
    await second.memory.snapshot()
    second.memory.succeeded(under, timed())
    await second.memory.settled()
    expect(store.items()).toMatchObject([{ breaker: { stated: { until } } }])
  })

  it('of one key leaves the others alone', async () => {
    const { instance } = start([one, two], KEYS)
    const limited = instance()
    await limited.request({ endpoint: one, key: 'k1', failure: rateLimit({ retryAfterMs: MINUTE }) })
    const { candidates } = await limited.plan(one, two)
    expect(candidates.map(({ keys }) => keys)).toEqual([
      ['k2', 'k3'],
      ['k2', 'k3'],
    ])
  })

  it('of a key for one model leaves its other models alone', async () => {
    const { instance } = start([one, two], KEYS)
    const limited = instance()
    const failure = rateLimit({ scope: 'model', retryAfterMs: MINUTE })
    await limited.request({ endpoint: one, key: 'k1', failure })
    const { candidates } = await limited.plan(one, two)
    expect(candidates.map(({ keys }) => keys)).toEqual([
      ['k2', 'k3'],
      ['k1', 'k2', 'k3'],
    ])
  })

  it('of a second model of the same key within a minute bars the key, and one alone does not', async () => {
    const three = endpointNamed('a/three')
    const { clock, instance } = start([one, two, three], new Map([['a', ['k1']]]))
    const limited = instance()
    const failure = rateLimit({ scope: 'model', retryAfterMs: 600_000 })
    await limited.request({ endpoint: one, key: 'k1', failure })
    expect((await limited.plan(three)).candidates).toHaveLength(1)
    clock.pass(59_000)
    await limited.request({ endpoint: two, key: 'k1', failure })
    expect((await limited.plan(three)).skipped).toMatchObject([{ reason: 'cooldown', cause: 'rate_limit' }])
  })

  it('without a hint climbs only by a trial that fails, and an answer brings it down', async () => {
    const { clock, store, instance } = start([one])
    const [first, second] = [instance(), instance()]
    const left = (): number[] => guessesOf(store).map(until => until - clock.now())
    await first.request({ endpoint: one, failure: rateLimit() })
    await second.request({ endpoint: one, failure: rateLimit() })
    expect(left()).toEqual([2_000])
    for (const [waited, next] of [
      [2_000, 10_000],
      [10_000, 60_000],
      [60_000, 120_000],
    ] as const) {
      clock.pass(waited)
      await second.trial(one, rateLimit())
      expect(left()).toEqual([next])
    }
    clock.pass(120_000)
    await first.trial(one, null)
    expect(left()).toEqual([])
    await first.request({ endpoint: one, failure: rateLimit() })
    expect(left()).toEqual([2_000])
  })
})

it('a model that fails again and again is benched, for longer in time, though its provider goes on', async () => {
  const { clock, store, instance } = start([one, two])
  const { request, trial } = instance()
  const cut = failureOf({ kind: 'server_error', scope: 'provider' })
  const benchMs = (): number[] => guessesOf(store).map(until => until - clock.now())
  for (let count = 0; count < 20; count += 1) await request({ endpoint: two, failure: null })
  await request(
    { endpoint: one, failure: cut },
    { endpoint: one, failure: cut },
    { endpoint: one, failure: cut },
  )
  await request({ endpoint: one, failure: cut })
  expect(benchMs()).toEqual([])
  await request({ endpoint: one, failure: cut })
  expect(benchMs()).toEqual([15_000])
  const waits: number[] = []
  for (let trials = 0; trials < 24; trials += 1) {
    clock.pass(benchMs()[0] ?? 0)
    await trial(one, cut)
    waits.push(benchMs()[0] ?? 0)
  }
  expect(waits.slice(0, 19)).toEqual(Array.from({ length: 19 }, () => 15_000))
  expect(waits.slice(19)).toEqual([60_000, 60_000, 60_000, 60_000, 60_000])
})

it('a single local endpoint cools down for five seconds at most, where it is all there is', async () => {
  const local = endpointNamed('a/local', { isLocal: true })
  const { clock, instance } = start([local, two])
  const limited = instance()
  await limited.request({
    endpoint: local,
    failure: failureOf({ kind: 'site_capacity', scope: 'model', status: 429 }),
  })
  const cooling = clock.now()
  expect((await limited.plan(local)).skipped).toMatchObject([{ reason: 'cooldown', until: cooling + 5_000 }])
  clock.pass(5_000)
  expect((await limited.plan(local)).candidates).toHaveLength(1)
  expect((await limited.plan(local, two)).skipped).toMatchObject([{ until: cooling + 30_000 }])
})

describe('a request that finds everything cooling down', () => {
  const remote = { local_cooldown_max_ms: 3_600_000 }

  it('waits for what comes back within its budget, and is answered at the first attempt', async () => {
    const upstream = open(
      await startUpstream([errorAnswer(429, {}, { 'retry-after': '3' }), chatStream(['after all'])]),
    )
    const settings = { ...remote, retry_patience_ms: 0 }
    const gateway = open(await startGateway(configOf({ up: upstream.url }, [['up/m']], settings)))
    expect(await ask(gateway)).toMatchObject({ status: 429 })
    const answer = await ask(gateway)
    expect(answer).toMatchObject({ status: 200, content: 'after all' })
    expect(answer.headers.get('x-backstop-attempts')).toBe('1')
    expect(upstream.calls()).toBe(2)
  })

  it('is told to come back later where its budget does not reach, and nobody is asked', async () => {
    const upstream = open(await startUpstream([errorAnswer(429, {}, { 'retry-after': '60' })]))
    const gateway = open(await startGateway(configOf({ up: upstream.url }, [['up/m']], remote)))
    await ask(gateway)
    const answer = await ask(gateway)
    expect(answer).toMatchObject({ status: 429, error: { code: 'rate_limit_exceeded' } })
    expect(answer.headers.get('x-backstop-attempts')).toBe('0')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(50)
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(upstream.calls()).toBe(1)
  })
})
