import { systemClock } from '../../../lambdas/platform/clock.ts'
import { errorAnswer } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { startGateway } from '../../support/start-gateway.ts'
import type { UpstreamAnswer } from '../../support/upstreams/upstream-answer.ts'
import type { Benchmark } from '../benchmark.ts'
import { clientsFragments, type GivingUp } from './clients-fragments.ts'
import { programClients } from './program-clients.ts'
import { SDK_CLIENTS, type MeasuredClient } from './sdk-clients.ts'

/** What is wrong with every endpoint. */
const OUTAGES: Readonly<Record<string, UpstreamAnswer>> = {
  overloaded: errorAnswer(503, { message: 'The model is overloaded.' }),
  'limited for 60 s': errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '60' }),
  'limited for 5 s': errorAnswer(429, { message: 'Slow down.' }, { 'retry-after': '5' }),
}

/** They wait most of the time; but the start of a program takes seconds of CPU. */
const AT_ONCE = 8

type Trial = { client: MeasuredClient; outage: string; answer: UpstreamAnswer }

const time = (seconds: number): string => `${seconds.toFixed(1)} s`

/** How often one client asks a gateway that has nothing to answer with, and for how long, in real time. */
async function giveUp({ client, outage, answer }: Trial): Promise<GivingUp> {
  const { name, version, setting, run } = client
  const upstreams = [await startUpstream([answer]), await startUpstream([answer])]
  const [one, two] = upstreams.map(({ url }) => ({ baseUrl: url, key: false }))
  const gateway = await startGateway(
    { providers: { one, two }, models: { house: { tiers: [['one/m'], ['two/m']] } } },
    {},
    { clock: systemClock },
  )
  const startedAt = performance.now()
  const gaveUp = (await run(gateway.url).catch(() => true)) !== false
  const seconds = (performance.now() - startedAt) / 1_000
  await gateway.settled()
  const requests = gateway.completed.length
  const calls = upstreams.reduce((sum, upstream) => sum + upstream.calls(), 0)
  await gateway.close()
  for (const upstream of upstreams) await upstream.close()
  // The whole takes minutes.
  console.log(`${name} (${setting ?? 'as it is'}), ${outage}: ${requests} in ${time(seconds)}`)
  return { client: name, version, setting, outage, requests, calls, seconds, gaveUp }
}

/** What the clients' own retries add to ours where nothing can answer. */
export const clientsBenchmark: Benchmark<readonly GivingUp[]> = {
  async run({ short }) {
    const clients = short
      ? SDK_CLIENTS.filter(({ isPatient }) => !isPatient)
      : [...SDK_CLIENTS, ...programClients()]
    const trials = clients.flatMap(client =>
      Object.entries(OUTAGES).map(([outage, answer]): Trial => ({ client, outage, answer })),
    )
    const waiting = [...trials.entries()].toSorted(
      ([, one], [, other]) => Number(other.client.isPatient) - Number(one.client.isPatient),
    )
    const results: GivingUp[] = []
    async function work(): Promise<void> {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [place, trial] = next
        results[place] = await giveUp(trial)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    console.log('\nEvery endpoint is out of order: what each client does until it gives up, in real time:\n')
    console.table(
      results.map(({ client, setting, outage, requests, calls, seconds, gaveUp }) => ({
        client,
        setting: setting ?? '',
        outage,
        requests,
        'calls upstream': calls,
        time: gaveUp ? time(seconds) : `ended after ${time(seconds)}`,
      })),
    )
    return results
  },
  fragments: clientsFragments,
}
