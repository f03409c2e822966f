import { ask } from '../../support/ask.ts'
import { createMemoryStore, type MemoryStore } from '../../support/tables/memory-store.ts'
import { startUpstream, type ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { startGateway, type TestGateway } from '../../support/start-gateway.ts'
import { createVirtualClock, type VirtualClock } from '../../support/clocks/virtual-clock.ts'
import { ENDPOINTS } from './incidents.ts'
import type { Passage } from './tally.ts'
import { answerOf, modelsOf, type World } from './world.ts'

const MINUTE_MS = 60_000
/** An instance that is idle for longer is taken away, and the next request finds a cold one. */
const IDLE_MS = 10 * MINUTE_MS
const FOR_EVER = new AbortController().signal

type Instance = { gateway: TestGateway; busy: boolean; usedAt: number }

function configurationOf(baseUrl: string) {
  const providers = [...new Set(ENDPOINTS.map(name => name.split('/')[0] ?? name))]
  return {
    providers: Object.fromEntries(
      providers.map(id => [id, { baseUrl: `${baseUrl.replace('/v1', '')}/${id}/v1`, key: false }]),
    ),
    models: { chat: { tiers: ENDPOINTS.map(name => [name]) } },
  }
}

const startWorld = (world: World, clock: VirtualClock, beganAt: number): Promise<ScriptedUpstream> =>
  startUpstream(
    ({ path, body }) => {
      const provider = path.split('/')[1] ?? ''
      const at = clock.now() - beganAt
      if (path.endsWith('/models')) return modelsOf(world, provider, at)
      const model = String(body.model)
      return answerOf(world.meet(`${provider}/${model}`, at), model)
    },
    { clock },
  )

/** Requests go to an instance that is free, one at a time each, as the platform does it. */
function createFleet(configuration: object, clock: VirtualClock, store: MemoryStore) {
  let instances: Instance[] = []
  return {
    async instance(): Promise<Instance> {
      const now = clock.now()
      const gone = instances.filter(({ busy, usedAt }) => !busy && now - usedAt > IDLE_MS)
      instances = instances.filter(one => !gone.includes(one))
      await Promise.all(gone.map(({ gateway }) => gateway.close()))
      const free = instances.find(({ busy }) => !busy)
      if (free) return Object.assign(free, { busy: true })
      const started = {
        gateway: await startGateway(configuration, {}, { clock, store }),
        busy: true,
        usedAt: now,
      }
      instances.push(started)
      return started
    },
    async close(): Promise<void> {
      await Promise.all(instances.map(({ gateway }) => gateway.close()))
    },
  }
}

/**
 * The whole gateway through one week, in virtual time: real handlers, a real upstream on loopback, probes each minute
 * while there is anything to probe.
 */
export async function replayWeek(
  world: World,
  arrivals: readonly number[],
): Promise<{ passages: readonly Passage[]; probes: number }> {
  const clock = createVirtualClock()
  const beganAt = clock.now()
  const store = createMemoryStore(clock)
  await using upstream = await startWorld(world, clock, beganAt)
  const configuration = configurationOf(upstream.url)
  const fleet = createFleet(configuration, clock, store)
  await using prober = await startGateway(configuration, {}, { clock, store })
  let probes = 0
  const over = new AbortController()

  async function schedule(): Promise<void> {
    while (!over.signal.aborted) {
      await clock.sleep(MINUTE_MS, over.signal)
      if (store.items().some(({ kind }) => kind === 'endpoint' || kind === 'breaker')) {
        probes += (await prober.probe(false)).probes.length
      }
    }
  }

  async function request(at: number): Promise<Passage> {
    await clock.sleep(beganAt + at - clock.now(), FOR_EVER)
    const instance = await fleet.instance()
    const { gateway } = instance
    await ask(gateway, { stream: true })
    await gateway.settled()
    Object.assign(instance, { busy: false, usedAt: clock.now() })
    const line = gateway.completed.at(-1)
    if (!line) throw new Error('a request left no line in the log')
    const failed = line.attempts.filter(({ outcome }) => outcome !== 'ok')
    return {
      at,
      answered: line.outcome === 'answered',
      possible: world.isPossible(at),
      attempts: line.attempts.length,
      wasted: failed.length,
      structuralWaste: failed.filter(({ structural }) => structural).length,
      durationMs: line.durationMs,
    }
  }

  const scheduled = schedule()
  const passages = await Promise.all(arrivals.map(request))
  over.abort()
  await scheduled
  await fleet.close()
  return { passages, probes }
}
