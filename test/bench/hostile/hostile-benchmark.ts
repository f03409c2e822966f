import type { Benchmark } from '../benchmark.ts'
import { hostileCosts } from './hostile-costs.ts'

const ms = (value: number): string => `${value.toFixed(0)} ms`

/**
 * What inputs cost that are meant to cost much; aim: 100 ms of CPU a MB, and nobody else blocked for 50 ms. One call of
 * `JSON.parse` cannot be divided: megabytes of JSON in one piece, a request's body or one event, block for as long as
 * they take to be parsed, which the limits of their bytes and values bound. CPU is that of the gateway's thread.
 */
export const hostileBenchmark: Benchmark = {
  async run() {
    const costs = await hostileCosts()
    console.log('\nHostile upstreams and clients:\n')
    console.table(
      costs.map(({ input, mode, megabytes, cpuMs, cpuMsPerMegabyte, blockedMs, outcome }) => ({
        input,
        mode,
        size: `${megabytes.toFixed(1)} MB`,
        CPU: ms(cpuMs),
        'CPU per MB': ms(cpuMsPerMegabyte),
        blocked: ms(blockedMs),
        outcome,
      })),
    )
    return costs
  },
}
