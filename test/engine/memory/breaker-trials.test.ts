import { describe, expect, it } from 'vitest'
import type { BreakerScope, TrialClaim } from '../../../lambdas/core/health/breaker-scope.ts'
import { createBreakerTrials } from '../../../lambdas/engine/memory/breaker-trials.ts'
import { changeBreaker } from '../../../lambdas/engine/memory/change-breaker.ts'
import type { FleetStore } from '../../../lambdas/store/fleet-store.ts'
import { endpointNamed } from '../../core/build.ts'
import { endAfterEach } from '../../fleet/instances/end-after-each.ts'
import { createInstance } from '../../fleet/instances/engine-instance.ts'
import { barItem } from '../../store/state-items.ts'
import { createFakeClock } from '../../support/clocks/fake-clock.ts'
import { createMemoryStore } from '../../support/tables/memory-store.ts'

const open = endAfterEach()
const LEASE_MS = 10_000
const UP: BreakerScope = 'provider#up'
const BENCH: BreakerScope = 'endpoint#up/m'
const due = (...scopes: readonly BreakerScope[]): TrialClaim[] =>
  scopes.map(scope => ({ scope, everyMs: null }))

/** Breakers whose trial is due, and trials of several instances. */
async function start(change: Partial<FleetStore> = {}, scopes: readonly BreakerScope[] = [UP]) {
  const clock = createFakeClock()
  const memory = createMemoryStore(clock)
  for (const scope of scopes) await memory.putStateItem(barItem(scope, clock.now(), 'server_error'), null)
  const store = { ...memory, ...change }
  const instance = async () => {
    const { tools } = open(createInstance({ store, clock, endpoints: [endpointNamed('up/m')] }))
    await tools.view.current(50)
    const { claim } = createBreakerTrials(tools)
    return { claim: (...claims: readonly TrialClaim[]) => claim(claims, LEASE_MS), tools }
  }
  const states = () =>
    Object.fromEntries(
      memory.items().map(item => [item.key, item.kind === 'breaker' ? item.breaker.state : item.kind]),
    )
  return { clock, memory, instance, states }
}

describe('the trial of a breaker', () => {
  it('is won by one of many who claim it at the same moment', async () => {
    const { instance, states } = await start()
    const fleet = await Promise.all(Array.from({ length: 8 }, instance))
    const claims = await Promise.all(fleet.map(({ claim }) => claim(...due(UP))))
    expect(claims.filter(Boolean)).toHaveLength(1)
    expect(states()).toEqual({ 'breaker#provider#up': 'half-open' })
  })

  it('that fails after its lease has passed to another one does not end that one', async () => {
    const { clock, instance, states } = await start()
    const [late, next] = [await instance(), await instance()]
    const first = await late.claim(...due(UP))
    expect(await next.claim(...due(UP))).toBeNull()
    clock.pass(LEASE_MS)
    expect(await next.claim(...due(UP))).not.toBeNull()
    const ladder = { kind: 'steps', waitsMs: [1_000] } as const
    const claimedAt = first?.at ?? 0
    const failed = {
      kind: 'trial_failed',
      at: clock.now(),
      claimedAt,
      cause: 'server_error',
      ladder,
      statedMs: null,
    } as const
    await changeBreaker(late.tools, UP, failed)
    expect(states()).toEqual({ 'breaker#provider#up': 'half-open' })
  })
})

describe('an endpoint behind several breakers', () => {
  it('is tried once for all of them, or not at all', async () => {
    const { clock, instance, states } = await start({}, [UP, BENCH])
    const [one, other] = [await instance(), await instance()]
    expect(await one.claim(...due(BENCH))).not.toBeNull()
    expect(await other.claim(...due(UP, BENCH))).toBeNull()
    expect(states()).toEqual({ 'breaker#provider#up': 'open', 'breaker#endpoint#up/m': 'half-open' })
    clock.pass(LEASE_MS)
    expect(await other.claim(...due(UP, BENCH))).toMatchObject({ scopes: [UP, BENCH] })
    expect(states()).toEqual({ 'breaker#provider#up': 'half-open', 'breaker#endpoint#up/m': 'half-open' })
  })
})

describe('where the table is away', () => {
  it('a claim is not waited for longer than 300 ms, and a process grants itself one trial an opening', async () => {
    const { clock, instance } = await start({ putStateItems: () => new Promise(() => {}) })
    const { claim } = await instance()
    const before = clock.now()
    expect(await claim(...due(UP))).not.toBeNull()
    expect(clock.now() - before).toBe(300)
    expect(await claim(...due(UP))).toBeNull()
    clock.pass(2 * LEASE_MS)
    expect(await claim(...due(UP))).toBeNull()
  })

  it('a last resort goes on, bounded by its own time', async () => {
    const { clock, memory, instance } = await start({})
    await memory.deleteStateItem('breaker#provider#up', 1)
    await memory.putStateItem(barItem(UP, clock.now() + 50_000, 'server_error'), null)
    const { claim } = await instance()
    memory.fail('refuse')
    const resort = { scope: UP, everyMs: 2_000 }
    expect(await claim(resort)).not.toBeNull()
    expect(await claim(resort)).toBeNull()
    clock.pass(LEASE_MS)
    expect(await claim(resort)).not.toBeNull()
  })
})
