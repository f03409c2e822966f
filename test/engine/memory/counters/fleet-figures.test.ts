import { describe, expect, it } from 'vitest'
import { createFleetFigures } from '../../../../lambdas/engine/memory/counters/fleet-figures.ts'
import { createStatsWriter } from '../../../../lambdas/engine/memory/counters/stats-writer.ts'
import { DEFAULT_SETTINGS } from '../../../../lambdas/core/settings/settings.ts'
import { endpointNamed, failureOf, measured, rateLimit } from '../../../core/build.ts'
import { endAfterEach } from '../../../fleet/instances/end-after-each.ts'
import { createInstance } from '../../../fleet/instances/engine-instance.ts'
import { createFakeClock } from '../../../support/clocks/fake-clock.ts'
import { createMemoryStore } from '../../../support/tables/memory-store.ts'

const open = endAfterEach()

function start() {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const instance = () => {
    const stats = createStatsWriter(store, clock, () => DEFAULT_SETTINGS)
    return { stats, figures: createFleetFigures(store, clock, stats) }
  }
  return { clock, store, instance }
}

describe('the figures of the fleet', () => {
  it('are what others have written and what this instance has counted since', async () => {
    const { clock, instance } = start()
    const [one, other] = [instance(), instance()]
    for (const _ of [1, 2, 3]) other.stats.succeeded('up/m', 'up', measured(400))
    await other.stats.flush(null)
    await one.figures.refresh()
    one.stats.succeeded('up/m', 'up', measured(400))
    one.stats.unanswered('up/m', 'timeout - 1 slow')
    expect(one.figures.known.get('up/m')).toMatchObject({
      successes: 4,
      failures: 1,
      firstOutput: { small: { answers: 4 } },
    })
    clock.pass(2_000)
    await one.stats.flush(null)
    other.stats.succeeded('up/m', 'up', measured(400))
    await other.stats.flush(null)
    // A write returns the item as it is: newer than the last look.
    expect(one.figures.known.get('up/m')).toMatchObject({ successes: 4, failures: 1 })
    clock.pass(60_000)
    await one.figures.refresh()
    expect(one.figures.known.get('up/m')).toMatchObject({ successes: 5, failures: 1 })
    expect(one.figures.known.get('up/n')).toBeUndefined()
  })

  it('are read at most once a minute, and remain where the table is away', async () => {
    const { clock, store, instance } = start()
    const { stats, figures } = instance()
    stats.succeeded('up/m', 'up', measured())
    await stats.flush(null)
    await figures.refresh()
    await figures.refresh()
    expect(store.calls('readStats')).toBe(1)
    store.fail('refuse')
    clock.pass(60_000)
    await figures.refresh()
    expect(store.calls('readStats')).toBe(2)
    stats.succeeded('up/m', 'up', measured())
    await expect(stats.flush(null)).rejects.toThrow('refuse')
    expect(figures.known.get('up/m')).toMatchObject({ successes: 2 })
  })

  it('are never waited for by a request that is planned', async () => {
    const clock = createFakeClock()
    const store = createMemoryStore(clock)
    const endpoint = endpointNamed('up/m')
    const never = { ...store, readStats: () => new Promise<never>(() => undefined) }
    const { memory, plan } = open(createInstance({ store: never, clock, endpoints: [endpoint] }))
    memory.look()
    expect((await plan(endpoint)).candidates).toHaveLength(1)
  })

  it('are read by an instance that has just started when its first output has come, not before', async () => {
    const clock = createFakeClock()
    const store = createMemoryStore(clock)
    const endpoint = endpointNamed('up/m')
    const { memory, plan } = open(createInstance({ store, clock, endpoints: [endpoint] }))
    memory.look()
    await plan(endpoint)
    expect(store.calls('readStats')).toBe(0)
    memory.committed({ endpoint, key: null, requestId: 'r1', startedAt: clock.now() })
    expect(store.calls('readStats')).toBe(1)
    await memory.settled()
    clock.pass(60_000)
    memory.look()
    expect(store.calls('readStats')).toBe(2)
    await memory.settled()
  })

  it('count whatever left a request without an answer, but not what its client is to blame for', async () => {
    const clock = createFakeClock()
    const store = createMemoryStore(clock)
    const endpoint = endpointNamed('up/m')
    const { request, memory } = open(createInstance({ store, clock, endpoints: [endpoint] }))
    await request({ endpoint, failure: rateLimit() })
    await request({ endpoint, failure: failureOf({ kind: 'server_error', scope: 'provider', status: 500 }) })
    await request({ endpoint, failure: failureOf({ kind: 'bad_request', scope: 'request', status: 400 }) })
    const { figures } = await memory.snapshot()
    expect(figures.get('up/m')).toMatchObject({ successes: 0, failures: 2, late: { failures: 2 } })
  })
})
