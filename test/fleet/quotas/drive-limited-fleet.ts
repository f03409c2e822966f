import { seededRandom } from '../../bench/week/random.ts'
import { ask } from '../../support/ask.ts'
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts'
import { startGateway, type TestGateway } from '../../support/start-gateway.ts'
import { createMemoryStore } from '../../support/tables/memory-store.ts'
import {
  LIMIT,
  MINUTE_MS,
  SLOTS,
  startLimitedUpstream,
  type LimitKind,
  type Telling,
} from './limited-upstream.ts'

/** So many gateways that serve side by side, or as a Lambda's: one request at a time each, frozen in between. */
export type Fleet = 1 | 4 | 16 | 'lambda'

export type Scenario = {
  kind: LimitKind
  telling: Telling
  fleet: Fleet
  minutes: number
  /** On average; requests come by chance. */
  everyMs: number
  takesMs: number
  /** What is not counted at the beginning. */
  leadInMinutes?: number
}

export type Figures = {
  requests: number
  answered: number
  /** The share of requests that met a 429 of the upstream. */
  limited: number
  /** The share of what the upstream allows in the long run that was used. */
  used: number
  writes: number
}

const FOR_EVER = new AbortController().signal

function configurationOf(url: string, { kind, telling }: Scenario) {
  const quotas = kind === 'concurrency' ? { concurrency: SLOTS } : { requestsPerMinute: LIMIT }
  const provider = { baseUrl: url, key: false as const }
  return {
    providers: { up: telling === 'declared' ? { ...provider, quotas } : provider },
    models: { chat: { tiers: [['up/m']] } },
    // One local endpoint would not be barred for long.
    settings: { local_cooldown_max_ms: 3_600_000 },
  }
}

/** A gateway for each request: the next in turn, or as a Lambda's one that is free. */
function createPool(start: () => Promise<TestGateway>, fleet: Fleet) {
  const free: TestGateway[] = []
  const all: TestGateway[] = []
  let turn = 0
  async function another(): Promise<TestGateway> {
    const gateway = await start()
    all.push(gateway)
    return gateway
  }
  return {
    all,
    async begin(): Promise<void> {
      const size = fleet === 'lambda' ? 0 : fleet
      for (let count = 0; count < size; count += 1) await another()
    },
    async take(): Promise<TestGateway> {
      if (fleet === 'lambda') return free.pop() ?? another()
      turn += 1
      return all[turn % all.length] ?? another()
    },
    async giveBack(gateway: TestGateway): Promise<void> {
      if (fleet !== 'lambda') return
      await gateway.settled()
      free.push(gateway)
    },
  }
}

/** Whole gateways before one limited provider that is asked for more than it allows, in virtual time. */
export async function driveLimitedFleet(scenario: Scenario): Promise<Figures> {
  const { kind, fleet, minutes, everyMs, takesMs, leadInMinutes = 0 } = scenario
  const clock = createVirtualClock()
  const store = createMemoryStore(clock)
  const random = seededRandom(7)
  const limited = await startLimitedUpstream(kind, scenario.telling, { clock, takesMs })
  await using _ = limited.upstream
  const configuration = configurationOf(limited.upstream.url, scenario)
  const chance = { ...clock, random }
  const pool = createPool(() => startGateway(configuration, {}, { clock: chance, store }), fleet)
  await pool.begin()
  const beganAt = clock.now()
  const countsFrom = beganAt + leadInMinutes * MINUTE_MS
  const endsAt = countsFrom + minutes * MINUTE_MS
  const served: { at: number; gateway: TestGateway; status: number }[] = []
  const open = new Set<Promise<void>>()

  async function request(): Promise<void> {
    const gateway = await pool.take()
    const at = clock.now()
    const { status } = await ask(gateway)
    served.push({ at, gateway, status })
    await pool.giveBack(gateway)
  }

  while (clock.now() < endsAt) {
    const done = request().finally(() => void open.delete(done))
    open.add(done)
    await clock.sleep(Math.max(1, Math.round(-Math.log(1 - random()) * everyMs)), FOR_EVER)
  }
  while (open.size > 0) await Promise.race([Promise.all(open), clock.sleep(1_000, FOR_EVER)])

  const counted = served.filter(({ at }) => at >= countsFrom)
  const calls = limited.calls.filter(({ at }) => at >= countsFrom && at < endsAt)
  const admitted = calls.filter(call => call.admitted).length
  const spanMs = endsAt - countsFrom
  const allowed = kind === 'concurrency' ? (SLOTS * spanMs) / takesMs : (LIMIT * spanMs) / MINUTE_MS
  const figures = {
    requests: counted.length,
    answered: counted.filter(({ status }) => status === 200).length,
    limited: (calls.length - admitted) / Math.max(1, counted.length),
    used: admitted / allowed,
    writes: store.calls('writeQuota'),
  }
  await Promise.all(pool.all.map(gateway => gateway.close()))
  return figures
}
