import { describe, expect, it } from 'vitest'
import { createBreakerTrials } from '../../../lambdas/engine/memory/breaker-trials.ts'
import type { FleetStore } from '../../../lambdas/store/fleet-store.ts'
import { endpointNamed } from '../../core/build.ts'
import { endAfterEach } from '../../fleet/end-after-each.ts'
import { createInstance } from '../../fleet/engine-instance.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { createMemoryStore } from '../../support/memory-store.ts'

const open = endAfterEach()
const LEASE_MS = 30_000

/** A breaker whose trial is due, and trials of several instances. */
function start(change: Partial<FleetStore> = {}) {
  const clock = createFakeClock()
  const memory = createMemoryStore(clock)
  memory.plant({
    pk: 'state',
    sk: 'breaker#up',
    kind: 'breaker',
    version: 1,
    failuresUntil: 0,
    breaker: { state: 'open', openedAt: clock.now() - 60_000 },
  })
  const store = { ...memory, ...change }
  const trials = async () => {
    const { tools } = open(createInstance({ store, clock, endpoints: [endpointNamed('up/m')] }))
    await tools.view.current(50)
    return createBreakerTrials(tools)
  }
  const state = () => memory.items().map(item => (item.kind === 'breaker' ? item.breaker.state : item.kind))
  return { clock, trials, state }
}

describe('the trial of a breaker', () => {
  it('is won by one of many who claim it at the same moment', async () => {
    const { trials, state } = start()
    const fleet = await Promise.all(Array.from({ length: 8 }, trials))
    const claims = await Promise.all(fleet.map(({ claim }) => claim('up')))
    expect(claims.filter(Boolean)).toHaveLength(1)
    expect(state()).toEqual(['half-open'])
  })

  it('is not waited for longer than 300 ms', async () => {
    const { clock, trials } = start({ putStateItem: () => new Promise(() => {}) })
    const { claim, report } = await trials()
    const before = clock.now()
    expect(await claim('up')).toBe(false)
    expect(clock.now() - before).toBe(300)
    expect(await report('up', clock.now(), 'failed')).toBe(false)
  })

  it('is no part of an attempt that had begun before it', async () => {
    const { clock, trials, state } = start()
    const { claim, report } = await trials()
    const earlier = clock.now()
    clock.pass(10)
    expect(await claim('up')).toBe(true)
    expect(await report('up', earlier, 'succeeded')).toBe(false)
    expect(state()).toEqual(['half-open'])
    expect(await report('up', clock.now(), 'succeeded')).toBe(true)
    expect(state()).toEqual([])
  })

  it('that proves nothing is due again at once', async () => {
    const { clock, trials } = start()
    const [first, second] = [await trials(), await trials()]
    await first.claim('up')
    await first.report('up', clock.now(), 'undecided')
    expect(await second.claim('up')).toBe(true)
  })

  it('that fails after its lease has passed to another one does not end that one', async () => {
    const { clock, trials, state } = start()
    const [late, next] = [await trials(), await trials()]
    await late.claim('up')
    const startedAt = clock.now()
    clock.pass(LEASE_MS)
    expect(await next.claim('up')).toBe(true)
    expect(await late.report('up', startedAt, 'failed')).toBe(true)
    expect(state()).toEqual(['half-open'])
    await next.report('up', clock.now(), 'failed')
    expect(state()).toEqual(['open'])
  })
})
