import { setTimeout as sleep } from 'node:timers/promises'
import { readAnswer } from '../../support/ask.ts'
import { startMoodyUpstream, type Mood, type MoodyUpstream } from '../../support/upstreams/moody-upstream.ts'
import type { Benchmark } from '../benchmark.ts'
import { longDate } from '../long-date.ts'
import { startNpmStart, type StartedGateway } from '../start-npm-start.ts'

const ARRIVAL_MS = 500
const MOST_MS = 30_000
const FAULTS: Readonly<Record<string, Mood>> = {
  refused: 'refused',
  404: { status: 404, body: '{"error":{"message":"The model `m` does not exist","code":"model_not_found"}}' },
  503: { status: 503 },
  silent: 'silent',
}

type Recovery = {
  fault: string
  outageMs: number
  /** From when the upstream was well again to the beginning of the first request that it answered. */
  firstSuccessMs: number
  /** Calls during the outage; null = nobody listened who could have counted them. */
  calls: number | null
}

/** The gateway as `npm start` runs it, with one alias for each upstream. */
const startLocal = (upstreams: ReadonlyMap<string, MoodyUpstream>): Promise<StartedGateway> =>
  startNpmStart({
    providers: Object.fromEntries(
      [...upstreams].map(([name, { url }]) => [`up-${name}`, { baseUrl: url, key: false }]),
    ),
    models: Object.fromEntries([...upstreams.keys()].map(name => [name, { tiers: [[`up-${name}/m`]] }])),
    // A loopback endpoint is barred for 5 s at most otherwise.
    settings: { local_cooldown_max_ms: 3_600_000 },
  })

/** One outage of an alias's only endpoint, under steady traffic. */
async function playOutage(
  gateway: { url: string },
  name: string,
  upstream: MoodyUpstream,
  outageMs: number,
): Promise<Recovery> {
  let backAt = Number.POSITIVE_INFINITY
  const over = new AbortController()
  const successes: number[] = []
  const open = new Set<Promise<void>>()
  async function request(): Promise<void> {
    const at = Date.now()
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: name, messages: [{ role: 'user', content: 'Hi' }] }),
      // What waits for a silent upstream would keep the benchmark for its whole time limit.
      signal: over.signal,
    })
    const { content } = await readAnswer(response)
    if (content === 'here' && at >= backAt) successes.push(at)
  }
  async function flow(): Promise<void> {
    while (!over.signal.aborted) {
      // A request that breaks is no success.
      const done: Promise<void> = request()
        .catch(() => undefined)
        .finally(() => open.delete(done))
      open.add(done)
      await sleep(ARRIVAL_MS)
    }
  }
  const flowing = flow()
  await sleep(2 * ARRIVAL_MS)
  const mood = FAULTS[name] ?? 'well'
  await upstream.turn(mood)
  const before = upstream.calls.length
  await sleep(outageMs)
  const calls = mood === 'refused' ? null : upstream.calls.length - before
  await upstream.turn('well')
  backAt = Date.now()
  while (successes.length === 0 && Date.now() - backAt < MOST_MS) await sleep(50)
  over.abort()
  await flowing
  await Promise.all(open)
  return { fault: name, outageMs, firstSuccessMs: Math.min(...successes) - backAt, calls }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** Outages of an alias's only endpoint in real time, against the gateway as `npm start` runs it. */
export const recoveryBenchmark: Benchmark<readonly Recovery[]> = {
  async run({ short }) {
    const recoveries: Recovery[] = []
    for (const outageMs of short ? [3_000] : [3_000, 10_000]) {
      const started = await Promise.all(
        Object.keys(FAULTS).map(async name => [name, await startMoodyUpstream(Date.now)] as const),
      )
      await using gateway = await startLocal(new Map(started))
      const played = started.map(([name, upstream]) => playOutage(gateway, name, upstream, outageMs))
      recoveries.push(...(await Promise.all(played)))
      await Promise.all(started.map(([, upstream]) => upstream[Symbol.asyncDispose]()))
    }
    console.log(`\nOutages of an alias's only endpoint in real time, a request every ${ARRIVAL_MS} ms:`)
    console.table(
      recoveries.map(({ fault, outageMs, firstSuccessMs, calls }) => ({
        fault,
        outage: seconds(outageMs),
        'answers again after': seconds(firstSuccessMs),
        'calls meanwhile': calls ?? 'not counted',
      })),
    )
    return recoveries
  },
  fragments(recoveries, { date }) {
    const told = [...new Set(recoveries.map(({ outageMs }) => outageMs))].map(outageMs => {
      const own = recoveries.filter(recovery => recovery.outageMs === outageMs)
      const latest = Math.max(...own.map(({ firstSuccessMs }) => firstSuccessMs))
      const calls = Math.max(...own.map(recovery => recovery.calls ?? 0))
      return `after an outage of ${outageMs / 1_000} s it answers again within ${seconds(latest)}, with ${calls} calls meanwhile at most`
    })
    return [{ page: 'test/bench/README.md', id: 'last', text: `${told.join('; ')} (${longDate(date)})` }]
  },
}
