import type { Benchmark } from '../benchmark.ts'
import { startChild, told } from './child-process.ts'
import { startContestants } from './contestants.ts'
import { measure, type Figure } from './measure.ts'
import { drawOverhead } from './draw-overhead.ts'
import { overheadFragments } from './overhead-fragments.ts'
import type { OverheadResults } from './overhead-results.ts'
import { ROWS } from './rows.ts'

const LONG = { concurrencies: [1, 16, 128], rounds: 5, share: 1, warmUp: 20 }
const SHORT = { concurrencies: [16], rounds: 1, share: 0.1, warmUp: 0.1 }

const ms = (value: number): string => `${value.toFixed(2)} ms`

function printed(figures: Record<string, Figure>) {
  const direct = figures.direct
  return Object.fromEntries(
    Object.entries(figures).map(([name, { cpuUs, timesBare, requestsPerSecond, p50Ms, p99Ms }]) => [
      name,
      {
        'CPU a request': name === 'direct' ? '' : `${cpuUs.toFixed(0)} µs`,
        'bare proxy = 1': name === 'direct' ? '' : timesBare.toFixed(2),
        'requests/s': requestsPerSecond.toFixed(0),
        'added p50': direct && name !== 'direct' ? ms(p50Ms - direct.p50Ms) : '',
        'added p99': direct && name !== 'direct' ? ms(p99Ms - direct.p99Ms) : '',
      },
    ]),
  )
}

/** What the gateway costs beside a bare proxy and the peer: CPU of its process, time, memory. */
export const overheadBenchmark: Benchmark<OverheadResults> = {
  async run({ short }) {
    const { concurrencies, rounds, share, warmUp } = short ? SHORT : LONG
    await using stack = new AsyncDisposableStack()
    const contestants = await startContestants(stack)
    const load = stack.use(startChild(new URL('./children/load.ts', import.meta.url)))
    await told(load.process, 'ready')
    const rows: OverheadResults['rows'] = {}
    for (const row of ROWS) {
      const requestsOf = (of: number): number => Math.max(4, Math.round(row.requests * of))
      await measure(load, contestants, row, { concurrency: 16, requests: requestsOf(warmUp), rounds: 1 })
      rows[row.name] = {}
      for (const concurrency of concurrencies) {
        const figures = await measure(load, contestants, row, {
          concurrency,
          requests: requestsOf(share),
          rounds,
        })
        rows[row.name] = { ...rows[row.name], [concurrency]: figures }
        console.log(`\n${row.name}, ${concurrency} at a time:`)
        console.table(printed(figures))
      }
    }
    const rssBytes: Record<string, number> = {}
    for (const { name, process } of contestants) rssBytes[name] = (await process.usage()).rssBytes
    console.log('\nMemory at the end:')
    console.table(
      Object.fromEntries(
        Object.entries(rssBytes).map(([name, bytes]) => [name, { MB: Math.round(bytes / 1e6) }]),
      ),
    )
    return { rows, rssBytes }
  },
  fragments: overheadFragments,
  pictures: results => [{ file: 'infra/pictures/overhead.svg', svg: drawOverhead(results) }],
}
