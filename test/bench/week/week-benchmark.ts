import type { Benchmark } from '../benchmark.ts'
import { drawWeek } from './draw-week.ts'
import { replayWeek } from './replay-week.ts'
import { tallyOf, type Tally } from './tally.ts'
import { arrivalsOfWeek } from './trace.ts'
import { createSharedTimers, NO_TIMERS, walkChain } from './walk-chain.ts'
import { percent, weekFragments, type WeekResults } from './week-fragments.ts'
import { createWorld } from './world.ts'

/** Of the week in the README. */
export const SEED = 20_261

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

const rowOf = (tally: Tally) => ({
  'answered, of what was possible': percent(tally.answeredShare),
  'failed attempts': tally.wasted,
  'on dead endpoints': tally.structuralWaste,
  'mean time': seconds(tally.meanMs),
  p95: seconds(tally.p95Ms),
  probes: tally.probes,
})

/** A week of 1,467 requests in virtual time: Backstop beside no memory, and beside one perfect shared timer. */
export const weekBenchmark: Benchmark<WeekResults> = {
  async run({ short }) {
    const world = createWorld(SEED)
    const all = arrivalsOfWeek(SEED)
    const arrivals = short ? all.slice(0, 200) : all
    const timers = createSharedTimers()
    const replayed = await replayWeek(world, arrivals)
    const tallies: WeekResults = {
      'no memory': tallyOf(
        arrivals.map(at => walkChain(world, at, NO_TIMERS)),
        0,
      ),
      'a shared timer of 90 s': tallyOf(
        arrivals.map(at => walkChain(world, at, timers)),
        0,
      ),
      Backstop: tallyOf(replayed.passages, replayed.probes),
    }
    const { requests, possible } = tallies.Backstop
    console.log(`\n${requests} requests in virtual time, of which ${possible} could be answered:`)
    console.table(Object.fromEntries(Object.entries(tallies).map(([name, tally]) => [name, rowOf(tally)])))
    return tallies
  },
  fragments: weekFragments,
  pictures: tallies => [{ file: 'infra/pictures/week.svg', svg: drawWeek(tallies) }],
}
