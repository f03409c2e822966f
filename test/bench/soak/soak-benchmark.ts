import type { Benchmark } from '../benchmark.ts'
import { longDate } from '../long-date.ts'
import { judgeSoak } from './judge-soak.ts'
import { runSoak, type Soak } from './run-soak.ts'

const mb = (value: number): string => `${value.toFixed(0)} MB`

const count = (value: number): string => value.toLocaleString('en-US')

/** Many requests, clients that leave, upstreams that fail, slow readers and long streams: a check, which fails loudly. */
export const soakBenchmark: Benchmark<Soak> = {
  async run({ short }) {
    const soak = await runSoak(
      short
        ? { requests: 600, parts: 2, longStreams: 20, atOnce: 32 }
        : { requests: 20_000, parts: 10, longStreams: 300, atOnce: 64 },
    )
    console.log('\nA gateway that is used for long:')
    console.table(soak.during.map(({ heapMb, rssMb }) => ({ 'heap, collected': mb(heapMb), RSS: mb(rssMb) })))
    console.table(soak.sent)
    const faults = judgeSoak(soak)
    if (faults.length > 0) throw new Error(`The gateway did not hold:\n${faults.join('\n')}`)
    return soak
  },
  fragments({ requests, longStreams, during }, { date }) {
    const [first, last] = [during[0], during.at(-1)]
    return [
      {
        page: 'test/bench/README.md',
        id: 'last',
        text: `${count(requests)} requests and ${longStreams} long streams: heap ${mb(first?.heapMb ?? 0)} after a tenth of them, ${mb(last?.heapMb ?? 0)} after all; nothing left open, no count lost (${longDate(date)})`,
      },
    ]
  },
}
