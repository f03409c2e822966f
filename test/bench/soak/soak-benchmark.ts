import type { Benchmark } from '../benchmark.ts'
import { longDate } from '../long-date.ts'
import { judgeGrowth, judgeSoak, tally } from './judge-soak.ts'
import { runSoak } from './run-soak.ts'
import type { SoakLook } from './soak-gateway.ts'

export type SoakResults = {
  requests: number
  longStreams: number
  /** Requests by how they ended for their clients, and in the log. */
  sent: Record<string, number>
  logged: Record<string, number>
  tableErrors: Record<string, number>
  /** After each part of the requests. */
  during: readonly SoakLook[]
}

const mb = (value: number): string => `${value.toFixed(0)} MB`

const count = (value: number): string => value.toLocaleString('en-US')

/** Many requests, clients that leave, upstreams that fail, slow readers and long streams: a check, which fails loudly. */
export const soakBenchmark: Benchmark<SoakResults> = {
  async run({ short }) {
    const soak = await runSoak(
      short
        ? { requests: 400, parts: 2, longStreams: 20, atOnce: 32 }
        : { requests: 20_000, parts: 10, longStreams: 300, atOnce: 64 },
    )
    const { requests, longStreams, log, during } = soak
    const sent = tally([...soak.sent].map(([id, end]) => `${id.split('-')[0]}: ${end}`))
    const logged = tally([...log.ends.values()].flat())
    console.log('\nA gateway that is used for long, in MB:')
    console.table(during.map(({ memory }) => memory))
    console.table([sent, logged, log.tableErrors])
    const faults = [...judgeSoak(soak), ...(short ? [] : judgeGrowth(soak))]
    if (faults.length > 0) throw new Error(`The gateway did not hold:\n${faults.join('\n')}`)
    return { requests, longStreams, sent, logged, tableErrors: log.tableErrors, during }
  },
  fragments({ requests, longStreams, during }, { date }) {
    const [first, last] = [during[0]?.memory, during.at(-1)?.memory]
    const told = (part: keyof SoakLook['memory']): string =>
      `${mb(first?.[part] ?? 0)} after a tenth of them, ${mb(last?.[part] ?? 0)} after all`
    return [
      {
        page: 'test/bench/README.md',
        id: 'last',
        text: `${count(requests)} requests and ${longStreams} long streams: heap ${told('heapUsed')}; resident ${told('rss')}; nothing left open, no count lost (${longDate(date)})`,
      },
    ]
  },
}
