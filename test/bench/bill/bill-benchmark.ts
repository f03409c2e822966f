import shippedConfig from '#gateway-config'
import { synthesise } from '../../infra/synthesise.ts'
import { missingForLambdaRic } from '../../runtime/lambda-ric.ts'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import type { Benchmark } from '../benchmark.ts'
import { billFragments, type BillResults } from './bill-fragments.ts'
import { countMetricSets } from './count-metric-sets.ts'
import { idleBill, stackFigures, totalOf, type BillRow } from './idle-bill.ts'
import { measureBill } from './measure-bill.ts'
import { requestBill } from './request-bill.ts'

const REQUESTS = 500

const ESSENTIAL = { metrics: 'essential', alarms: 'essential', dashboard: false } as const

const shown = (rows: readonly BillRow[]): object =>
  Object.fromEntries([
    ...rows.map(({ item, arithmetic, dollars }) => [item, { dollars: dollars.toFixed(2), arithmetic }]),
    ['together', { dollars: totalOf(rows).toFixed(2), arithmetic: '' }],
  ])

/** What a gateway costs in AWS: idle, by requests, and beside a container that is always on. */
export const billBenchmark: Benchmark<BillResults> = {
  missing: missingForLambdaRic,
  async run(options) {
    const figures = await measureBill(options)
    const config = parseGatewayConfig(shippedConfig)
    const essential = { ...config, deploy: { ...config.deploy, ...ESSENTIAL } }
    const results: BillResults = {
      figures,
      stacks: {
        all: stackFigures(synthesise(config, 'prod').template),
        essential: stackFigures(synthesise(essential, 'prod').template),
      },
      metricSets: {
        requests: REQUESTS,
        all: countMetricSets(config, 'all', REQUESTS),
        essential: countMetricSets(config, 'essential', REQUESTS),
      },
    }
    const { stacks, metricSets } = results
    console.log('\nIdle, a month, as shipped and with everything essential:')
    console.table(shown(idleBill(stacks.all, figures.probe)))
    console.table(shown(idleBill(stacks.essential, figures.probe)))
    console.log('\nA million requests of 500 tokens in five seconds:')
    console.table(shown(requestBill(figures)))
    console.log(
      `\n${metricSets.all} sets of metrics after ${REQUESTS} requests; essential, ${metricSets.essential}.`,
    )
    return results
  },
  fragments: billFragments,
}
