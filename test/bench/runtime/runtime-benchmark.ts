import type { Benchmark } from '../benchmark.ts'
import { openCloud } from '../../runtime/cloud.ts'
import { missingForLambdaRic } from '../../runtime/lambda-ric.ts'
import { coldStart, type ColdStart } from './cold-start.ts'
import { helloFunction } from './hello-function.ts'
import { startInstantUpstream } from './instant-upstream.ts'
import { warmLatency, type Latency } from './warm-latency.ts'

const MOST_COLD_RATIO = 2.5

const ms = (value: number): string => `${value.toFixed(Math.abs(value) < 10 ? 2 : 0)} ms`
const times = (value: number, base: number): string => `${(value / base).toFixed(2)} x`

const coldRow = ({ ready, firstByte }: ColdStart, base: ColdStart) => ({
  'until ready': ms(ready),
  'until first byte': ms(firstByte),
  ratio: times(firstByte, base.firstByte),
})

const warmRow = ({ p50, p99 }: Latency, base: Latency) => ({
  p50: ms(p50),
  p99: ms(p99),
  'p50 ratio': times(p50, base.p50),
  'p99 ratio': times(p99, base.p99),
  'p50 added': ms(p50 - base.p50),
  'p99 added': ms(p99 - base.p99),
})

/** What the gateway costs under Lambda's own runtime client: cold, and warm. */
export const runtimeBenchmark: Benchmark = {
  missing: missingForLambdaRic,
  async run({ short }) {
    await using upstream = await startInstantUpstream()
    await using cloud = await openCloud({
      providers: { local: { baseUrl: upstream.url, key: false } },
      models: { chat: { tiers: [['local/m']] } },
    })
    const hello = await helloFunction()
    const cold = await coldStart(cloud, hello)
    const warm = await warmLatency(cloud, hello, upstream.url, short ? 100 : 1_000)

    console.log("\nUnder Lambda's runtime client, on this machine: ratios travel, milliseconds do not.\n")
    console.log(`Cold start, from the start of the process (aim: at most ${MOST_COLD_RATIO} x):`)
    console.table({
      'hello world': coldRow(cold.hello, cold.hello),
      gateway: coldRow(cold.gateway, cold.hello),
    })
    console.log('\nWarm, one whole answer at a time:')
    console.table({
      'upstream, called directly': warmRow(warm.direct, warm.direct),
      'hello world: the runtime alone': warmRow(warm.hello, warm.direct),
      'upstream, through the gateway': warmRow(warm.gateway, warm.direct),
    })
    return { cold, warm }
  },
}
