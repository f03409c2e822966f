import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { FAILURE_KINDS } from '../../lambdas/core/failures/kinds.ts'
import { mayBeOfOwnFields } from '../../lambdas/core/health/client-fields.ts'
import { planChain } from '../../lambdas/core/routing/plan.ts'
import type { NotedAttempt } from '../../lambdas/engine/memory/fleet-memory.ts'
import type { FleetStore } from '../../lambdas/store/fleet-store.ts'
import { chainOf, endpointNamed, failureOf, requestFor } from '../core/build.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance, type EngineInstance } from './instances/engine-instance.ts'

const open = endAfterEach()
const INSTANCES = 4
/** Longer than a look at the table is fresh. */
const NEWS_MS = 2_001

const step = fc.record({
  afterMs: fc.oneof(fc.integer({ min: NEWS_MS, max: 20_000 }), fc.integer({ min: 60_000, max: 200_000 })),
  outcome: fc.constantFrom('failed' as const, 'succeeded' as const, 'undecided' as const, 'never' as const),
  /** How far away the table is from each of them, in milliseconds. */
  delays: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: INSTANCES, maxLength: INSTANCES }),
})

const serverError = () => failureOf({ kind: 'server_error', scope: 'provider', status: 500 })

async function playTrials(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) {
  const clock = createVirtualClock()
  const memory = createMemoryStore(clock)
  const endpoint = endpointNamed('up/m')
  const other = endpointNamed('other/m')
  const delays = Array.from({ length: INSTANCES }, () => 0)
  const forever = new AbortController().signal
  const storeOf = (index: number): FleetStore => ({
    ...memory,
    putStateItem: async (...write) => (
      await clock.sleep(delays[index] ?? 0, forever),
      memory.putStateItem(...write)
    ),
    putStateItems: async writes => (
      await clock.sleep(delays[index] ?? 0, forever),
      memory.putStateItems(writes)
    ),
  })
  const fleet = Array.from({ length: INSTANCES }, (_, index) =>
    open(createInstance({ store: storeOf(index), clock, endpoints: [endpoint, other] })),
  )
  const noted = (requestId: string, trial: NotedAttempt['trial'] = null): NotedAttempt => ({
    endpoint,
    key: null,
    requestId,
    startedAt: clock.now(),
    trial,
  })
  const [first] = fleet
  for (let count = 0; count < 5; count += 1) await first?.request({ endpoint, failure: serverError() })

  /** What lets this instance through now: a trial, nothing that bars, or null where it is barred. */
  async function enter({ memory: own }: EngineInstance) {
    const plan = planChain(requestFor(), chainOf([[endpoint], [other]]), await own.snapshot(), clock.now())
    const candidate = plan.candidates.find(one => one.endpoint === endpoint)
    if (!candidate) return null
    return candidate.trial.length === 0 ? 'free' : own.claimTrial(endpoint, candidate.trial)
  }

  let isClosed = false
  let leaseUntil = 0
  for (const [index, { afterMs, outcome, delays: away }] of steps.entries()) {
    clock.pass(afterMs)
    for (const [position, ms] of away.entries()) delays[position] = ms
    const at = clock.now()
    const entered = await Promise.all(fleet.map(enter))
    if (isClosed) break
    expect(entered).not.toContain('free')
    const trials = entered.flatMap((one, position) => (one && one !== 'free' ? [{ one, position }] : []))
    expect(trials.length).toBeLessThanOrEqual(1)
    const [won] = trials
    if (!won) continue
    expect(at).toBeGreaterThanOrEqual(leaseUntil)
    leaseUntil = won.one.at + 10_000
    const winner = fleet[won.position]
    const attempt = noted(`trial-${index}`, won.one)
    if (outcome === 'never') continue
    if (outcome === 'succeeded') winner?.memory.committed(attempt)
    else
      winner?.memory.failed(
        attempt,
        outcome === 'failed'
          ? serverError()
          : failureOf({ kind: 'bad_request', scope: 'request', status: 400 }),
      )
    await winner?.memory.settled()
    leaseUntil = 0
    isClosed = outcome === 'succeeded'
  }
}

it('at most one call of the whole fleet goes through a half-open breaker, wherever the table is', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), playTrials), {
    numRuns: 15,
  })
}, 300_000)

it('a refusal that fields of the client may have caused moves nothing', async () => {
  const failures = fc.record({
    kind: fc.constantFrom(...FAILURE_KINDS),
    scope: fc.constantFrom('key' as const, 'model' as const, 'endpoint' as const, 'provider' as const),
    status: fc.constantFrom(400, 403, 404, 422, 429, 500, 503),
    structural: fc.boolean(),
    message: fc.constantFrom('No endpoints found.', 'This model was decommissioned.', 'Too many requests.'),
  })
  const own = fc.constantFrom('choosing' as const, 'other' as const)
  await fc.assert(
    fc.asyncProperty(failures, own, fc.integer({ min: 1, max: 6 }), async (given, ownFields, times) => {
      const failure = failureOf(given)
      fc.pre(mayBeOfOwnFields(failure, ownFields))
      const clock = createFakeClock()
      const store = createMemoryStore(clock)
      const endpoint = endpointNamed('up/m')
      const { memory } = open(createInstance({ store, clock, endpoints: [endpoint, endpointNamed('up/n')] }))
      await memory.snapshot()
      for (let count = 0; count < times; count += 1) {
        memory.failed(
          { endpoint, key: 'k', requestId: `r${count}`, startedAt: clock.now(), ownFields },
          failure,
        )
      }
      await memory.settled()
      expect(store.items()).toEqual([])
      expect(await store.readStats()).toEqual(new Map())
    }),
    { numRuns: 200 },
  )
}, 60_000)
