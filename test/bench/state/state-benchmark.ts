import type { Benchmark } from '../benchmark.ts'
import { longDate } from '../long-date.ts'
import { type Drive, driveFleet, type FleetCost, type Scenario } from './drive-fleet.ts'
import { listEndpoints } from './list-endpoints.ts'

/** What one partition of DynamoDB takes in a second. */
const MOST = { write: 1_000, read: 3_000 } as const

const WELL: Scenario = { name: 'all is well', perSecond: 1, models: 1, errorShare: 0, ill: 0 }
const SCENARIOS: readonly Scenario[] = [
  WELL,
  { ...WELL, name: '1 % server errors', errorShare: 0.01 },
  { ...WELL, name: '1 % server errors, 4 requests a second each', errorShare: 0.01, perSecond: 4 },
  { ...WELL, name: '1 % server errors, 20 models of one provider', errorShare: 0.01, models: 20 },
  { ...WELL, name: '1 % rate limits', errorShare: 0.01, error: 'rate_limit' },
  { ...WELL, name: '20 endpoints quarantined', ill: 20 },
]

type Limit = {
  partition: string
  unit: 'write' | 'read'
  perInstance: number
  instances: number
  requests: number
}

export type StateResults = {
  limits: Record<string, Limit & { largestItem: number }>
  listed: { endpoints: number; table: string; medianMs: number; cpuMs: number }
}

const count = (value: number): string => value.toLocaleString('en-US')

/** Which partition reaches its limit first, and at how many instances like these. */
function firstLimit({ units, seconds, instances, requests }: FleetCost): Limit {
  const limits = [...units].flatMap(([partition, used]) =>
    (['write', 'read'] as const).map(unit => {
      const perInstance = used[unit] / seconds / instances
      const most = MOST[unit] / perInstance
      return {
        partition: partition.replace(/#.*/s, ''),
        unit,
        perInstance,
        instances: Math.floor(most),
        requests: Math.floor((most * requests) / seconds / instances),
      }
    }),
  )
  const [first] = limits.toSorted((one, other) => one.instances - other.instances)
  if (!first) throw new Error('a fleet that never called its table')
  return first
}

/**
 * At how many instances and requests a second one partition of the table reaches its limit: measured of a small fleet of
 * whole gateways in virtual time, and scaled. And how long a list of many endpoints takes.
 */
export const stateBenchmark: Benchmark<StateResults> = {
  async run({ short }) {
    const drive: Drive = short
      ? { instances: 8, warmUpSeconds: 10, seconds: 10 }
      : { instances: 16, warmUpSeconds: 50, seconds: 60 }
    const limits: Record<string, Limit & { largestItem: number }> = {}
    for (const scenario of SCENARIOS) {
      const cost = await driveFleet(scenario, drive)
      const state = [...cost.largest].filter(([kind]) => !kind.startsWith('stats'))
      const largestItem = Math.max(0, ...state.map(([, bytes]) => bytes))
      limits[scenario.name] = { ...firstLimit(cost), largestItem }
    }
    console.log(`\nWhere one partition of the table reaches its limit, from ${drive.instances} instances:`)
    console.table(
      Object.fromEntries(
        Object.entries(limits).map(([name, limit]) => [
          name,
          {
            'busy instances': limit.instances,
            'requests a second': limit.requests,
            first: `${limit.unit}s of ${limit.partition}`,
            'units an instance': limit.perInstance.toFixed(2),
            'largest state item': `${limit.largestItem} B`,
          },
        ]),
      ),
    )
    const listed = await listEndpoints(short ? 5 : 20)
    console.log(
      `GET /v1/endpoints, ${listed.endpoints} endpoints, ${listed.table}: ${listed.medianMs.toFixed(0)} ms in the median, of which ${listed.cpuMs.toFixed(0)} ms CPU`,
    )
    return { limits, listed }
  },
  fragments({ limits, listed }, { date }) {
    const [[scenario, first] = []] = Object.entries(limits).toSorted(
      ([, one], [, other]) => one.instances - other.instances,
    )
    if (!first) throw new Error('No traffic was measured.')
    const limit = `at ${count(first.instances)} busy instances and ${count(first.requests)} requests a second (${scenario}: ${first.unit}s of \`${first.partition}\`)`
    const list = `a list of ${listed.endpoints} endpoints takes ${listed.medianMs.toFixed(0)} ms, of which ${listed.cpuMs.toFixed(0)} ms CPU`
    return [{ page: 'test/bench/README.md', id: 'last', text: `${limit}; ${list} (${longDate(date)})` }]
  },
}
