import { quarantineEndpoint } from '../../lambdas/engine/operate/operate-endpoint.ts'
import { encodeStateItem } from '../../lambdas/store/item-codec.ts'
import { barItem } from '../store/state-items.ts'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../lambdas/core/endpoint.ts'
import type { Settings } from '../../lambdas/core/settings/settings.ts'
import { endpointNamed } from '../core/build.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { createMemoryStore, type MemoryStore } from '../support/tables/memory-store.ts'
import { startUpstream, type ScriptedUpstream } from '../support/upstreams/scripted-upstream.ts'
import type { UpstreamScript } from '../support/upstreams/answer-script.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance, type EngineInstance } from './instances/engine-instance.ts'
import { modelGone } from './instances/failures.ts'
import { createFakeClock, type FakeClock } from '../support/clocks/fake-clock.ts'

const open = endAfterEach()
const MINUTE = 60_000
const FIRST_PROBE_MS = 45_000
const LEASE_MS = 45_000

type Fleet = {
  clock: FakeClock
  store: MemoryStore
  upstream: ScriptedUpstream
  endpoints: readonly Endpoint[]
  instance(): EngineInstance
}

/** An upstream with these models, and instances that share one table. */
async function fleetOf(script: UpstreamScript, models: readonly string[], settings: Partial<Settings> = {}) {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const upstream = open(await startUpstream(script))
  const endpoints = models.map(model => endpointNamed(`up/${model}`, { baseUrl: upstream.url }))
  const instance = (): EngineInstance => open(createInstance({ store, clock, endpoints, settings }))
  return { clock, store, upstream, endpoints, instance } satisfies Fleet
}

/** Makes all of them suspects whose first probe is due now. */
async function suspectAll({ endpoints, clock, instance }: Fleet): Promise<void> {
  const user = instance()
  for (const endpoint of endpoints) {
    await user.request({ endpoint, failure: modelGone() })
    await user.request({ endpoint, failure: modelGone() })
  }
  clock.pass(FIRST_PROBE_MS)
}

const gone: UpstreamScript = [errorAnswer(404, { message: 'The model `m` does not exist' })]
const modelsAsked = ({ requests }: ScriptedUpstream): unknown[] => requests.map(({ body }) => body.model)

/** When the next probe of the first endpoint is due, from now. */
function dueInMs({ store, clock }: Fleet): number | null {
  const [item] = store.items()
  return item?.kind === 'endpoint' ? item.health.probe.dueAt - clock.now() : null
}

it('what was quarantined by hand is probed where it is named, and never else', async () => {
  const fleet = await fleetOf([chatStream(['ok'])], ['one'])
  const [endpoint] = fleet.endpoints
  if (!endpoint) throw new Error('there is one')
  const operator = fleet.instance()
  await operator.memory.snapshot()
  await quarantineEndpoint(operator.tools, endpoint, 'odd answers')
  fleet.clock.pass(60 * MINUTE)
  expect(await fleet.instance().probe()).toEqual([])
  expect(await fleet.instance().probe({ force: true })).toEqual([])
  const { skipped } = await fleet.instance().plan(endpoint)
  expect(skipped).toMatchObject([{ reason: 'quarantined', until: null }])
  expect(skipped[0]).not.toHaveProperty('lastResortAt')
  expect(await fleet.instance().probe({ only: endpoint.name })).toMatchObject([{ outcome: 'ok' }])
  expect(fleet.store.items()).toEqual([])
})

describe('probe runs that overlap', () => {
  it('never probe one endpoint twice', async () => {
    const fleet = await fleetOf(gone, ['one', 'two', 'three', 'four'])
    await suspectAll(fleet)
    const runs = await Promise.all([1, 2, 3].map(() => fleet.instance().probe()))
    expect(modelsAsked(fleet.upstream).toSorted()).toEqual(['four', 'one', 'three', 'two'])
    expect(runs.flat()).toHaveLength(4)
  })

  it('nor do forced ones, of which one comes to an endpoint as the other has just probed it', async () => {
    const fleet = await fleetOf(gone, ['one'])
    await suspectAll(fleet)
    const [first, second] = [fleet.instance(), fleet.instance()]
    await second.memory.snapshot()
    expect(await first.probe({ force: true })).toHaveLength(1)
    expect(await second.probe({ force: true })).toEqual([])
    expect(fleet.upstream.calls()).toBe(1)
    fleet.clock.pass(1_000)
    expect(await second.probe({ force: true })).toHaveLength(1)
  })

  it('do not do so either while users go on finding out that the endpoint is dead', async () => {
    const fleet = await fleetOf([{ headersDelayMs: 300, ...errorAnswer(404, {}) }], ['one'])
    await suspectAll(fleet)
    const [one] = fleet.endpoints
    if (!one) throw new Error('no endpoint')
    const first = fleet.instance().probe()
    await expect.poll(() => fleet.upstream.calls()).toBe(1)
    await fleet.instance().request({ endpoint: one, failure: modelGone() })
    expect(await fleet.instance().probe()).toEqual([])
    await first
    expect(fleet.upstream.calls()).toBe(1)
  })

  it('let only one of them take the trial of a breaker', async () => {
    const fleet = await fleetOf([errorAnswer(500, {})], ['one'])
    fleet.store.plant(encodeStateItem(barItem('provider#up', fleet.clock.now(), 'server_error')))
    await Promise.all([1, 2, 3].map(() => fleet.instance().probe()))
    expect(fleet.upstream.calls()).toBe(1)
    expect(await fleet.instance().probe()).toEqual([])
  })
})

it('the trial that a run takes is reported, however the clock ticks meanwhile', async () => {
  const fleet = await fleetOf([chatStream(['ok'])], ['one'])
  const { clock, store } = fleet
  store.plant(encodeStateItem(barItem('provider#up', clock.now(), 'server_error')))
  const ticking = { ...clock, now: () => (clock.pass(1), clock.now()) }
  await open(createInstance({ ...fleet, clock: ticking })).probe()
  expect(store.items()).toEqual([])
})

it('a run that dies in the middle loses nothing: after its lease another one probes', async () => {
  const fleet = await fleetOf(
    (_, call) => (call === 1 ? { fault: 'no-response' } : chatStream(['ok'])),
    ['one'],
  )
  await suspectAll(fleet)
  // Nobody ever hears of this run again.
  void fleet.instance().probe()
  await expect.poll(() => fleet.upstream.calls()).toBe(1)
  expect(await fleet.instance().probe()).toEqual([])
  fleet.clock.pass(LEASE_MS - 1)
  expect(await fleet.instance().probe()).toEqual([])
  fleet.clock.pass(1)
  expect(await fleet.instance().probe()).toMatchObject([{ endpoint: 'up/one', outcome: 'ok' }])
  expect(fleet.store.items()).toEqual([])
})

it('probes of one provider are a second apart, and twenty are enough for one pass', async () => {
  const fleet = await fleetOf(
    gone,
    Array.from({ length: 25 }, (_, index) => `m${index}`),
  )
  await suspectAll(fleet)
  const instance = fleet.instance()
  const begunAt = fleet.clock.now()
  expect(await instance.probe()).toHaveLength(20)
  expect(fleet.upstream.calls()).toBe(20)
  expect(fleet.clock.now() - begunAt).toBeGreaterThanOrEqual(19_000)
  await instance.probe()
  expect(new Set(modelsAsked(fleet.upstream)).size).toBe(25)
})

it('no probe is begun that the time left does not cover', async () => {
  const fleet = await fleetOf(gone, ['one', 'two', 'three'])
  await suspectAll(fleet)
  await fleet.instance().probe({ endsAt: fleet.clock.now() + 31_000 })
  expect(fleet.upstream.calls()).toBe(2)
})

it('probes come every minute for twenty, then more and more seldom', async () => {
  const fleet = await fleetOf(gone, ['one'])
  await suspectAll(fleet)
  const waits: (number | null)[] = []
  const instance = fleet.instance()
  for (let probes = 0; probes < 26; probes += 1) {
    expect(await instance.probe()).toHaveLength(1)
    const due = dueInMs(fleet)
    waits.push(due)
    fleet.clock.pass(due ?? 0)
  }
  const minutes = [...Array.from({ length: 20 }, () => 1), 2, 4, 8, 16, 32, 60]
  expect(waits).toEqual(minutes.map(count => count * MINUTE))
  expect(fleet.store.items()).toMatchObject([{ health: { state: 'quarantined' }, expiresAt: null }])
})

describe('a probe that proves nothing', () => {
  const rows: [string, UpstreamScript, number][] = [
    ['waits as long as a rate limit says', [errorAnswer(429, {}, { 'retry-after': '200' })], 200_000],
    ['waits the plain interval after a rate limit that says nothing', [errorAnswer(429, {})], MINUTE],
    ['waits the plain interval after its key was refused', [errorAnswer(401, {})], MINUTE],
  ]
  it.each(rows)('%s, again and again', async (_, script, wait) => {
    const fleet = await fleetOf(script, ['one'])
    await suspectAll(fleet)
    const instance = fleet.instance()
    for (let probes = 0; probes < 3; probes += 1) {
      await instance.probe()
      expect(dueInMs(fleet)).toBe(wait)
      fleet.clock.pass(wait)
    }
    expect(fleet.store.items()).toMatchObject([{ health: { state: 'suspect' } }])
    const alarms = instance.lines.filter(({ event }) => event === 'key-refused')
    expect(alarms).toHaveLength(script === rows[2]?.[1] ? 3 : 0)
  })
})

it('the kill switch stops probes, and without probes a suspect returns when its window has emptied', async () => {
  const off = await fleetOf(gone, ['one'])
  await suspectAll(off)
  const killed = createInstance({ ...off, settings: { endpoint_health_disabled: true } })
  expect(await open(killed).probe()).toEqual([])
  const unprobed = open(createInstance({ ...off, settings: { endpoint_probes_disabled: true } }))
  await unprobed.probe()
  expect(off.store.items()).toHaveLength(1)
  off.clock.pass(24 * 60 * MINUTE)
  await unprobed.probe()
  expect(off.store.items()).toEqual([])
  expect(off.upstream.calls()).toBe(0)
})

describe('in one day', () => {
  const DAY = 24 * 60 * MINUTE

  /** One pass a minute from midnight to midnight; how often each model was probed. */
  async function aDay(fleet: Fleet, settings: Partial<Settings>): Promise<readonly number[]> {
    const { clock, store, endpoints, upstream } = fleet
    clock.pass(DAY - (clock.now() % DAY))
    await suspectAll(fleet)
    const instance = open(createInstance({ store, clock, endpoints, settings }))
    const before = endpoints.map(({ model }) => upstream.calls(model))
    while (clock.now() % DAY < DAY - 2 * MINUTE) {
      clock.pass(MINUTE)
      await instance.probe()
    }
    return endpoints.map(({ model }, index) => upstream.calls(model) - (before[index] ?? 0))
  }

  it('an endpoint is probed as often as the setting allows', async () => {
    const settings = { endpoint_probe_daily_max: 7 }
    const fleet = await fleetOf(gone, ['one'], settings)
    expect(await aDay(fleet, settings)).toEqual([7])
  }, 60_000)

  it('all probes together take a fifth of the daily quota that a provider states', async () => {
    const headers = { 'x-ratelimit-limit-requests-day': '50' }
    const fleet = await fleetOf(
      [errorAnswer(404, { message: 'The model `m` does not exist' }, headers)],
      ['one', 'two'],
    )
    const probes = await aDay(fleet, {})
    expect(Math.min(...probes)).toBeGreaterThanOrEqual(2)
    expect(probes.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(10)
  }, 60_000)
})
