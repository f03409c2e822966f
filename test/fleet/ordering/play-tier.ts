import { seededRandom } from '../../bench/week/random.ts'
import { ask } from '../../support/ask.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { startGateway, type TestGateway } from '../../support/start-gateway.ts'
import { createMemoryStore } from '../../support/tables/memory-store.ts'
import { chatStream, errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'

/** How a replica behaves from now on. */
export type Replica = {
  /** The share of calls that it answers. */
  success: number
  /** Until its first output. */
  firstOutputMs?: number
  /** What the configuration declares of it. */
  declared?: object
}

export type PlayedTier = AsyncDisposable & {
  readonly replicas: Record<string, Replica>
  /** So many requests, one at a time, at this pace in virtual time; returns the replica that each called first. */
  send(requests: number, everyMs: number): Promise<readonly string[]>
  readonly gateways: readonly TestGateway[]
}

const MINUTE_MS = 60_000

/**
 * A fleet of two whole gateways in virtual time, over one table and real upstreams, whose alias has one tier: a replica
 * for each of these, which answers as its chance says. Probes run each minute.
 */
export async function playTier(
  replicas: Record<string, Replica>,
  strategy?: string,
  seed = 1,
): Promise<PlayedTier> {
  const fate = seededRandom(seed)
  const clock = { ...createVirtualClock(), random: seededRandom(seed + 1) }
  const store = createMemoryStore(clock)
  const upstream = await startUpstream(
    ({ path }) => {
      const { success = 0, firstOutputMs = 0 } = replicas[path.split('/')[1] ?? ''] ?? {}
      const answer =
        fate() < success ? chatStream(['Done.']) : errorAnswer(500, { message: 'Internal error' })
      return firstOutputMs > 0 ? { headersDelayMs: firstOutputMs, ...answer } : answer
    },
    { clock },
  )
  const names = Object.keys(replicas)
  const base = upstream.url.replace('/v1', '')
  const configuration = {
    providers: Object.fromEntries(names.map(name => [name, { baseUrl: `${base}/${name}/v1`, key: false }])),
    models: {
      chat: {
        tiers: [names.map(name => ({ endpoint: `${name}/m`, ...replicas[name]?.declared }))],
        ...(strategy === undefined ? {} : { strategy }),
      },
    },
  }
  const gateways = await Promise.all([0, 1].map(() => startGateway(configuration, {}, { clock, store })))
  let probedAt = clock.now()
  let sent = 0

  async function probeWhenDue(): Promise<void> {
    if (clock.now() - probedAt < MINUTE_MS) return
    probedAt = clock.now()
    const isDue = store.items().some(({ kind }) => kind === 'endpoint' || kind === 'breaker')
    if (isDue) await gateways[0]?.probe(false)
  }

  return {
    replicas,
    gateways,
    async send(requests, everyMs) {
      const firsts: string[] = []
      for (let count = 0; count < requests; count += 1) {
        const gateway = gateways[(sent += 1) % gateways.length]
        if (!gateway) break
        await probeWhenDue()
        const at = clock.now()
        await ask(gateway)
        await gateway.settled()
        const first = gateway.completed.at(-1)?.attempts[0]
        firsts.push(first?.provider ?? 'none')
        clock.pass(Math.max(0, at + everyMs - clock.now()))
      }
      return firsts
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(gateways.map(gateway => gateway.close()))
      await upstream.close()
    },
  }
}

/** The share of these calls that went to a replica. */
export const shareOf = (firsts: readonly string[], name: string): number =>
  firsts.filter(first => first === name).length / firsts.length
