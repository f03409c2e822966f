import { AGENTS } from '../../agents/agents.ts'
import { findAgent, runAgent } from '../../agents/run-agent.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import { errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { startGateway } from '../../support/start-gateway.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import type { Benchmark } from '../benchmark.ts'
import { SDK_CLIENTS, type MeasuredClient } from './sdk-clients.ts'

/** What is wrong with every endpoint. */
const OUTAGES: Readonly<Record<string, UpstreamAnswer>> = {
  overloaded: errorAnswer(503, { message: 'The model is overloaded.' }),
  'limited for 60 s': errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '60' }),
  'limited for 5 s': errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '5' }),
}

/** A client that still asks after this long is ended. */
const LONGEST_MS = 240_000

const PROGRAMS: readonly MeasuredClient[] = Object.values(AGENTS).flatMap(agent => {
  const program = findAgent(agent)
  return program === null
    ? []
    : [
        {
          name: agent.title,
          setting: null,
          run: (url: string) => runAgent({ program, ...agent.run(url), longestMs: LONGEST_MS }),
        },
      ]
})

const time = (seconds: number): string => `${seconds.toFixed(1)} s`

/** How often one client asks a gateway that has nothing to answer with, and for how long, in real time. */
async function giveUp({ name, setting, run }: MeasuredClient, outage: string, answer: UpstreamAnswer) {
  const upstreams = [await startUpstream([answer]), await startUpstream([answer])]
  const [one, two] = upstreams.map(({ url }) => ({ baseUrl: url, key: false }))
  const gateway = await startGateway(
    { providers: { one, two }, models: { house: { tiers: [['one/m'], ['two/m']] } } },
    {},
    { clock: systemClock },
  )
  const startedAt = performance.now()
  await run(gateway.url).catch(() => undefined)
  const seconds = (performance.now() - startedAt) / 1_000
  await gateway.settled()
  const requests = gateway.completed.length
  const calls = upstreams.reduce((sum, upstream) => sum + upstream.calls(), 0)
  await gateway.close()
  for (const upstream of upstreams) await upstream.close()
  return { client: name, setting: setting ?? 'none', outage, requests, calls, seconds }
}

/** What the clients' own retries add to ours where nothing can answer. */
export const clientsBenchmark: Benchmark = {
  async run({ short }) {
    const results: Awaited<ReturnType<typeof giveUp>>[] = []
    for (const client of [...SDK_CLIENTS, ...(short ? [] : PROGRAMS)]) {
      for (const [outage, answer] of Object.entries(OUTAGES)) {
        const result = await giveUp(client, outage, answer)
        results.push(result)
        // Some clients take minutes.
        console.log(
          `${result.client} (${result.setting}), ${outage}: ${result.requests} in ${time(result.seconds)}`,
        )
      }
    }
    console.log('\nEvery endpoint is out of order: what each client does until it gives up, in real time:\n')
    console.table(
      results.map(({ seconds, calls, ...row }) => ({
        ...row,
        'calls upstream': calls,
        time: time(seconds),
      })),
    )
    return results
  },
}
