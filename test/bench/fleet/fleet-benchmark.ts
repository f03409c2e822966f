import type { Benchmark } from '../benchmark.ts'
import { fleetFragments, fleetRow, type FleetResults } from './fleet-fragments.ts'
import { playOutage } from './play-outage.ts'

const MINUTE = 60_000
const [FULL, SHORT] = [
  { sizes: [1, 2, 4, 8, 16, 32, 64], outageMs: 10 * MINUTE },
  { sizes: [1, 8, 64], outageMs: 2 * MINUTE },
]

/** What one dead endpoint costs a fleet by its size, beside instances that each remember for themselves. */
export const fleetBenchmark: Benchmark<FleetResults> = {
  async run({ short }) {
    const { sizes, outageMs } = short ? SHORT : FULL
    const rows: FleetResults['rows'] = []
    for (const instances of sizes) {
      const shared = await playOutage({ instances, outageMs, shares: true })
      const alone = await playOutage({ instances, outageMs, shares: false })
      rows.push({ shared, alone })
    }
    console.log(`\nA fleet before an endpoint that is dead for ${outageMs / MINUTE} minutes:`)
    console.table(rows.map(fleetRow))
    return { outageMs, rows }
  },
  fragments: fleetFragments,
}
