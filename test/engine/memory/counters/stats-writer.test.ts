import { providerShardKeys, type StatsKey } from '../../../../lambdas/core/item-keys.ts'
import { describe, expect, it } from 'vitest'
import { bucketsOf, type CounterKind } from '../../../../lambdas/core/health/counter-names.ts'
import { modelTag } from '../../../../lambdas/core/health/short-hash.ts'
import { DEFAULT_SETTINGS } from '../../../../lambdas/core/settings/settings.ts'
import {
  createStatsWriter,
  type StatsWriter,
} from '../../../../lambdas/engine/memory/counters/stats-writer.ts'
import { endpointNamed, measured } from '../../../core/build.ts'
import { endAfterEach } from '../../../fleet/instances/end-after-each.ts'
import { createInstance } from '../../../fleet/instances/engine-instance.ts'
import { modelGone } from '../../../fleet/instances/failures.ts'
import { createFakeClock } from '../../../support/clocks/fake-clock.ts'
import { createMemoryStore } from '../../../support/tables/memory-store.ts'

const open = endAfterEach()

function start() {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const writer = () => createStatsWriter(store, clock, () => DEFAULT_SETTINGS)
  const totalAt = (key: StatsKey, kind: CounterKind): number =>
    [...bucketsOf(store.counts(key), kind).values()].reduce((sum, count) => sum + count, 0)
  const total = (key: StatsKey | 'up', kind: CounterKind): number =>
    (key === 'up' ? providerShardKeys('up') : [key]).reduce((sum, one) => sum + totalAt(one, kind), 0)
  return { clock, store, writer, total }
}

const evidence = { evidence: 1, bench: false }

/** What the window of the provider holds after one more failure. */
async function fail(stats: StatsWriter) {
  const tally = [...(await stats.providerFailed('up', 'up/m', false).written).values()]
  const sum = (field: 'successes' | 'failures') => tally.reduce((total, model) => total + model[field], 0)
  return { successes: sum('successes'), failures: sum('failures') }
}

describe('successes', () => {
  it('wait, and cost one write an item every ten seconds', async () => {
    const { clock, store, total } = start()
    const endpoint = endpointNamed('up/m')
    const { request } = open(createInstance({ store, clock, endpoints: [endpoint] }))
    for (let second = 0; second < 100; second += 1) {
      clock.pass(1_000)
      await request({ endpoint, failure: null })
    }
    expect(store.calls('addCounts')).toBe(20)
    expect([total('endpoint#up/m', 'dayOk'), total('up', 'ok')]).toEqual([100, 100])
    expect(store.calls('putStateItem') + store.calls('deleteStateItem')).toBe(0)
  })

  it('are written within a second while the window of their provider holds failures', async () => {
    const { clock, store, total } = start()
    const [ill, well] = [endpointNamed('up/ill'), endpointNamed('up/well')] as const
    const { request } = open(createInstance({ store, clock, endpoints: [ill, well] }))
    const failure = { ...modelGone(), kind: 'server_error' as const, structural: false }
    await request({ endpoint: ill, failure })
    await request({ endpoint: well, failure: null })
    await request({ endpoint: well, failure: null })
    clock.pass(1_000)
    const before = store.calls('addCounts')
    await request({ endpoint: well, failure: null })
    expect(total('up', 'ok')).toBe(3)
    await request({ endpoint: well, failure: null })
    expect(store.calls('addCounts') - before).toBe(1)
  })

  it('go along with a failure, in one write', async () => {
    const { store, writer, total } = start()
    const stats = writer()
    for (const _ of [1, 2, 3]) stats.succeeded('up/m', 'up', measured())
    expect(await fail(stats)).toEqual({ successes: 3, failures: 1 })
    stats.unanswered('up/m', 'timeout - 1 slow')
    await stats.failed('up/m', { evidence: 0, bench: true }).written
    expect([total('endpoint#up/m', 'dayOk'), total('endpoint#up/m', 'dayFailed')]).toEqual([3, 1])
    expect(store.calls('addCounts')).toBe(2)
  })

  it('take the words of a failure along that moves nothing else, and cost no write more', async () => {
    const { store, writer } = start()
    const stats = writer()
    stats.unanswered('up/m', 'rate_limit 429 1 slow down')
    expect([stats.own('up/m').lastFailure, store.calls('addCounts')]).toEqual([
      'rate_limit 429 1 slow down',
      0,
    ])
    await stats.flush(null)
    expect(store.calls('addCounts')).toBe(1)
    expect((await store.readStats()).get('endpoint#up/m')?.lastFailure).toBe('rate_limit 429 1 slow down')
    expect(stats.own('up/m').lastFailure).toBeNull()
  })

  it('count in the bucket of their own time, however late they are written', async () => {
    const { clock, writer } = start()
    const stats = writer()
    for (const _ of [1, 2, 3]) stats.succeeded('up/m', 'up', measured())
    clock.pass(6 * 60_000)
    expect(await fail(stats)).toEqual({ successes: 0, failures: 1 })
  })

  it('lose nothing between two instances that write at the same time', async () => {
    const { writer, total } = start()
    const fleet = Array.from({ length: 8 }, writer)
    for (const stats of fleet) {
      for (let count = 0; count < 5; count += 1) stats.succeeded('up/m', 'up', measured())
    }
    await Promise.all(fleet.map((stats, index) => (index % 2 ? stats.flush(null) : fail(stats))))
    await Promise.all(fleet.map(stats => stats.flush(null)))
    expect([total('up', 'ok'), total('up', 'failed')]).toEqual([40, 4])
    expect(total('endpoint#up/m', 'dayOk')).toBe(40)
  })
})

it('what an instance has counted itself it knows at once, also where the table is away', async () => {
  const { store, writer } = start()
  const stats = writer()
  store.fail('refuse')
  for (const count of [1, 2, 3]) {
    const { local, written } = stats.failed('up/m', evidence)
    expect(local.evidence).toBe(count)
    await expect(written).rejects.toThrow('refuse')
  }
})

it('a provider is counted in eight shards, by model, and summed only by a failure', async () => {
  const { clock, store, total } = start()
  const chances = [0, 0.2, 0.4, 0.6, 0.8, 0.99]
  const fleet = chances.map(chance =>
    createStatsWriter(store, { ...clock, random: () => chance }, () => DEFAULT_SETTINGS),
  )
  for (const stats of fleet) stats.succeeded('up/n', 'up', measured())
  await Promise.all(fleet.map(stats => stats.flush(null)))
  expect(store.calls('readCounts')).toBe(0)
  expect(providerShardKeys('up').filter(key => Object.keys(store.counts(key)).length > 0)).toHaveLength(6)
  const [first] = fleet
  const tally = await first?.providerFailed('up', 'up/m', true).written
  expect(tally?.get(modelTag('up/n'))).toMatchObject({ successes: 6, failures: 0 })
  expect(tally?.get(modelTag('up/m'))).toMatchObject({ failures: 1, hostFailures: 1 })
  await first?.resetProvider('up')
  expect([total('up', 'ok'), total('up', 'failed'), total('up', 'hostFailed')]).toEqual([0, 0, 0])
})

describe('a success', () => {
  it('empties the window of evidence, also within one bucket', async () => {
    const { writer } = start()
    const stats = writer()
    expect(await stats.failed('up/m', evidence).written).toMatchObject({ evidence: 1 })
    stats.succeeded('up/m', 'up', measured())
    expect(await stats.failed('up/m', evidence).written).toMatchObject({ evidence: 1 })
    expect(await stats.failed('up/m', evidence).written).toMatchObject({ evidence: 2 })
  })

  it('that was there before an endpoint died does not undo what others have found out', async () => {
    const { clock, writer } = start()
    const [first, second] = [writer(), writer()]
    second.succeeded('up/m', 'up', measured())
    expect(await first.failed('up/m', evidence).written).toMatchObject({ evidence: 1 })
    expect(await second.failed('up/m', evidence).written).toMatchObject({ evidence: 2 })
    second.succeeded('up/n', 'up', measured())
    await first.failed('up/n', evidence).written
    clock.pass(600_000)
    await second.flush(null)
    expect(await first.failed('up/n', evidence).written).toMatchObject({ evidence: 2 })
  })
})

it('what is written when one item is refused still ends before the flush does', async () => {
  const { store, clock } = start()
  let ended = 0
  const slow = {
    ...store,
    async addCounts(...call: Parameters<typeof store.addCounts>) {
      if (call[0].startsWith('endpoint#')) throw new Error('refused')
      await clock.sleep(10, new AbortController().signal)
      ended += 1
      return store.addCounts(...call)
    },
  }
  const stats = createStatsWriter(slow, clock, () => DEFAULT_SETTINGS)
  stats.succeeded('up/m', 'up', measured())
  await expect(stats.flush(null)).rejects.toThrow('refused')
  expect(ended).toBe(1)
})

it('a success between failures takes an endpoint off its way to the bench', async () => {
  const { writer, total } = start()
  const stats = writer()
  const failure = { evidence: 0, bench: true }
  expect(await stats.failed('up/m', failure).written).toMatchObject({ bench: 1 })
  expect(await stats.failed('up/m', failure).written).toMatchObject({ bench: 2 })
  stats.succeeded('up/m', 'up', measured())
  expect(await stats.failed('up/m', failure).written).toMatchObject({ bench: 1 })
  await stats.resetBench('up/m')
  expect(total('endpoint#up/m', 'bench')).toBe(0)
})
