import type { Benchmark } from '../benchmark.ts'
import { longDate } from '../long-date.ts'
import { type HostileCost, hostileCosts } from './hostile-costs.ts'

const ms = (value: number): string => `${value.toFixed(0)} ms`

const AIM = { cpuMsPerMegabyte: 100, blockedMs: 50 }
/** What is smaller is measured by the time of any request. */
const LEAST_MEGABYTES = 0.5

/**
 * What inputs cost that are meant to cost much; aim: 100 ms of CPU a MB, and nobody else blocked for 50 ms. One call of
 * `JSON.parse` cannot be divided: megabytes of JSON in one piece, a request's body or one event, block for as long as
 * they take to be parsed, which the limits of their bytes and values bound. CPU is that of the gateway's thread.
 */
export const hostileBenchmark: Benchmark<readonly HostileCost[]> = {
  async run({ short }) {
    const costs = await hostileCosts(short)
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
  fragments(costs, { date }) {
    const large = costs.filter(({ megabytes }) => megabytes >= LEAST_MEGABYTES)
    const byCpu = large.toSorted((one, other) => other.cpuMsPerMegabyte - one.cpuMsPerMegabyte)
    const byBlock = costs.toSorted((one, other) => other.blockedMs - one.blockedMs)
    const [dearest, longest] = [byCpu[0], byBlock[0]]
    if (!dearest || !longest) throw new Error('Nothing was measured.')
    const within = costs.filter(
      ({ megabytes, cpuMsPerMegabyte, blockedMs }) =>
        blockedMs <= AIM.blockedMs &&
        (megabytes < LEAST_MEGABYTES || cpuMsPerMegabyte <= AIM.cpuMsPerMegabyte),
    )
    return [
      {
        page: 'test/bench/README.md',
        id: 'last',
        text: `${within.length} of ${costs.length} are within it; the most is ${ms(dearest.cpuMsPerMegabyte)} a megabyte (${dearest.input}), the longest block ${ms(longest.blockedMs)} (${longest.input}) (${longDate(date)})`,
      },
    ]
  },
}
