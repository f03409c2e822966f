import type { Benchmark } from '../benchmark.ts'
import { createWorld } from '../../support/start-gateway.ts'
import { conductFragments } from './conduct-fragments.ts'
import { runProfile, WAYS } from '../../conduct/run-profile.ts'
import { brokenPromises, type Row, rowsOf, scorecard } from '../../conduct/scorecard.ts'

/**
 * The scorecard in virtual time, so that its times are what the gateway waits, whatever the machine. `npm run conduct`
 * plays the same in real time.
 */
export const conductBenchmark: Benchmark<readonly Row[]> = {
  async run({ short }) {
    const ways = short ? WAYS.filter(({ lane }) => lane === 'chat') : WAYS
    const judged = await Promise.all(
      ways.map(way => runProfile(way, { pace: 1, settings: {}, ...createWorld() })),
    )
    const rows = rowsOf(judged.flat())
    console.log(scorecard(rows))
    if (brokenPromises(rows).length > 0) process.exitCode = 1
    return rows
  },
  fragments: conductFragments,
}
