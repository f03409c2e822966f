import type { Circumstances, Fragment } from '../benchmark.ts'
import { longDate } from '../long-date.ts'
import type { Outage } from './play-outage.ts'

/** By the number of instances: with one table for all, and with one for each. */
export type FleetResults = { outageMs: number; rows: { shared: Outage; alone: Outage }[] }

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** One row of the table, by the names of its columns. */
export const fleetRow = ({ shared, alone }: FleetResults['rows'][number]): Record<string, string> => ({
  instances: String(shared.instances),
  'attempts of users on the dead endpoint': String(shared.wasted),
  'of instances that share nothing': String(alone.wasted),
  'until the last instance avoids it': seconds(shared.knownAfterMs),
  'table reads a request': shared.reads.toFixed(2),
  'table writes a request': shared.writes.toFixed(2),
  'probes until it is back': String(shared.probes),
  'probes of instances that share nothing': String(alone.probes),
  'used again after': seconds(shared.backAfterMs),
})

function table(rows: readonly Record<string, string>[]): string {
  const names = Object.keys(rows[0] ?? {})
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(names), line(names.map(() => '---')), ...rows.map(row => line(Object.values(row)))].join('\n')
}

/** What the pages say of the fleet. */
export function fleetFragments(
  { outageMs, rows }: FleetResults,
  { date }: Circumstances,
): readonly Fragment[] {
  const largest = rows.at(-1)
  if (!largest) throw new Error('There is no fleet in these results.')
  const { shared, alone } = largest
  const figures = `${shared.instances} instances with a request a second each lose ${shared.wasted} attempts to an endpoint that is dead for ${outageMs / 60_000} minutes, of ${shared.requests.toLocaleString('en-US')} requests`
  return [
    { page: 'test/bench/README.md', id: 'table', text: table(rows.map(fleetRow)) },
    {
      page: 'test/bench/README.md',
      id: 'last',
      text: `${figures}; without a shared memory ${alone.wasted} (${longDate(date)})`,
    },
    {
      page: 'lambdas/ROUTING.md',
      id: 'sentence',
      text: `In \`npm run bench -- fleet\` ${figures}, all within the first ${seconds(shared.knownAfterMs)}; ${alone.wasted} if each instance remembers for itself.`,
    },
  ]
}
