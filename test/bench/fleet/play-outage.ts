import type { Endpoint } from '../../../lambdas/core/endpoint.ts'
import { planChain } from '../../../lambdas/core/routing/plan.ts'
import type { FleetStore } from '../../../lambdas/store/fleet-store.ts'
import { chainOf, endpointNamed, requestFor, timed } from '../../core/build.ts'
import { createInstance, type EngineInstance } from '../../fleet/instances/engine-instance.ts'
import { modelGone } from '../../fleet/instances/failures.ts'
import { createFakeClock } from '../../support/clocks/fake-clock.ts'
import { createMemoryStore, type MemoryStore } from '../../support/tables/memory-store.ts'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'

/** What an outage of the first endpoint of a chain cost a fleet. */
export type Outage = {
  instances: number
  requests: number
  /** Attempts of users on the endpoint while it was dead. */
  wasted: number
  /** From the beginning of the outage until no instance's request began with the endpoint any more. */
  knownAfterMs: number
  /** Calls of the table, a request. */
  reads: number
  writes: number
  /** Probes of the endpoint, the one included that readmitted it. */
  probes: number
  /** From its return until a request was served there again. */
  backAfterMs: number
}

type Options = {
  instances: number
  outageMs: number
  /** Whether all share one table, or each has one of its own. */
  shares: boolean
}

const TICK_MS = 100
const REQUEST_EVERY_MS = 1_000
/** How long a user's attempt on the dead endpoint takes: others begin meanwhile. */
const FAILS_AFTER_MS = 400
const WARM_UP_MS = 20_000
const PROBE_RUN_MS = 60_000
/** It has surely been readmitted by then, or never will be. */
const GIVE_UP_MS = 3_600_000
/** A read of all counters is one query of each of their partitions. */
const QUERIES: Partial<Record<keyof FleetStore, number>> = { readStats: 8 }
const READS: readonly (keyof FleetStore)[] = ['readState', 'readStateItem', 'readCounts', 'readStats']
const WRITES: readonly (keyof FleetStore)[] = [
  'putStateItem',
  'putStateItems',
  'deleteStateItem',
  'addCounts',
  'noteSuggestion',
]

const callsOf = (stores: readonly MemoryStore[], methods: readonly (keyof FleetStore)[]): number =>
  stores
    .flatMap(store => methods.map(method => store.calls(method) * (QUERIES[method] ?? 1)))
    .reduce((sum, calls) => sum + calls, 0)

/**
 * A fleet whose instances serve one request a second each, before an endpoint whose model is gone for a while, with
 * another one behind it: in virtual time, with the engine of whole gateways and the probe run of every minute.
 */
export async function playOutage({ instances, outageMs, shares }: Options): Promise<Outage> {
  const clock = createFakeClock()
  let isDead = false
  let probes = 0
  await using upstream = await startUpstream(() => {
    probes += 1
    return isDead
      ? errorAnswer(404, { code: 'model_not_found', message: 'No such model.' })
      : chatStream(['ok'])
  })
  const first = endpointNamed('first/m', { baseUrl: upstream.url })
  const second = endpointNamed('second/m')
  const chain = chainOf([[first], [second]])
  const stores = Array.from({ length: shares ? 1 : instances }, () => createMemoryStore(clock))
  const instanceAt = (index: number): EngineInstance => {
    const store = stores[index % stores.length]
    if (!store) throw new Error('a fleet without a table')
    // What instances draw lots for is spread evenly.
    const random = (): number => ((index % instances) + 0.5) / instances
    return createInstance({ store, clock: { ...clock, random }, endpoints: [first, second] })
  }
  await using open = new AsyncDisposableStack()
  const fleet = Array.from({ length: instances }, (_, index) => open.use(instanceAt(index)))
  const probers = stores.map((_, index) => open.use(instanceAt(index)))

  /** What ends later, by when. */
  const underWay: { at: number; end(): Promise<void> }[] = []
  let [requests, wasted, lastMetAt] = [0, 0, 0]
  let backAt = Infinity
  let servedAgainAt: number | null = null

  async function answer({ memory }: EngineInstance, endpoint: Endpoint, requestId: string): Promise<void> {
    const noted = { endpoint, key: null, requestId, startedAt: clock.now() }
    memory.committed(noted)
    memory.succeeded(noted, timed())
    await memory.settled()
  }

  async function request(instance: EngineInstance): Promise<void> {
    requests += 1
    const requestId = `r${requests}`
    const { memory } = instance
    const { candidates } = planChain(requestFor(), chain, await memory.snapshot(), clock.now())
    if (candidates[0]?.endpoint !== first) return answer(instance, second, requestId)
    if (!isDead) {
      if (clock.now() >= backAt) servedAgainAt ??= clock.now()
      return answer(instance, first, requestId)
    }
    wasted += 1
    lastMetAt = clock.now()
    const noted = { endpoint: first, key: null, requestId, startedAt: clock.now() }
    underWay.push({
      at: clock.now() + FAILS_AFTER_MS,
      async end() {
        memory.failed(noted, modelGone())
        await answer(instance, second, requestId)
      },
    })
  }

  let ticks = 0
  async function pass(ms: number, isOver = () => false): Promise<void> {
    for (const endsAt = clock.now() + ms; clock.now() < endsAt && !isOver(); ticks += 1) {
      while (underWay[0] && underWay[0].at <= clock.now()) await underWay.shift()?.end()
      const perSecond = REQUEST_EVERY_MS / TICK_MS
      for (const [index, instance] of fleet.entries())
        if (ticks % perSecond === Math.floor((index / instances) * perSecond)) await request(instance)
      if ((ticks * TICK_MS) % PROBE_RUN_MS === 0) for (const prober of probers) await prober.probe()
      clock.pass(TICK_MS)
    }
  }

  await pass(WARM_UP_MS)
  isDead = true
  const diedAt = clock.now()
  lastMetAt = diedAt
  await pass(outageMs)
  isDead = false
  backAt = clock.now()
  await pass(GIVE_UP_MS, () => servedAgainAt !== null)
  if (servedAgainAt === null) throw new Error('The endpoint was never used again.')
  return {
    instances,
    requests,
    wasted,
    knownAfterMs: lastMetAt - diedAt,
    reads: callsOf(stores, READS) / requests,
    writes: callsOf(stores, WRITES) / requests,
    probes,
    backAfterMs: servedAgainAt - backAt,
  }
}
