import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark } from '../benchmark.ts'
import { longDate } from '../long-date.ts'
import { startNpmStart } from '../start-npm-start.ts'
import { gatewayConfig, sendMixed, startSteadyUpstream } from './mixed-requests.ts'
import { memoryOf, missingForMemory, type ProcessMemory } from './process-memory.ts'

type Look = { requests: number; processes: ProcessMemory[] }

export type MemoryResults = { looks: Look[] }

const AT_ONCE = 8
const REST_MS = 1_000

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const mb = (value: number): string => `${value.toFixed(0)} MB`

/** The memory of `npm start` with all of its processes, after requests of mixed kinds. */
export const memoryBenchmark: Benchmark<MemoryResults> = {
  missing: missingForMemory,
  async run({ short }) {
    await using upstream = await startSteadyUpstream()
    await using gateway = await startNpmStart(gatewayConfig(upstream.url))
    const looks: Look[] = []
    let sent = 0
    for (const requests of short ? [0, 500] : [0, 2_000, 10_000]) {
      await sendMixed(gateway.url, requests - sent, AT_ONCE)
      sent = requests
      await sleep(REST_MS)
      looks.push({ requests, processes: memoryOf(gateway.pid) })
    }
    console.log('\nThe memory of `npm start`:')
    console.table(
      looks.map(({ requests, processes }) => ({
        requests,
        RSS: mb(sum(processes.map(({ rssMb }) => rssMb))),
        PSS: mb(sum(processes.map(({ pssMb }) => pssMb))),
        ...Object.fromEntries(processes.map(({ role, pssMb }) => [`PSS of the ${role}`, mb(pssMb)])),
      })),
    )
    return { looks }
  },
  fragments({ looks }, { date }) {
    const told = looks.map(
      ({ requests, processes }) =>
        `${mb(sum(processes.map(({ rssMb }) => rssMb)))} after ${requests.toLocaleString('en-US')} requests`,
    )
    const text = `resident in all, ${told.join(', ')} (${longDate(date)})`
    return [
      { page: 'test/bench/README.md', id: 'last', text },
      { page: 'infra/local/README.md', id: 'resident', text: `: ${text}` },
    ]
  },
}
