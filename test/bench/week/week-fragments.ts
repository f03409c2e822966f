import type { Circumstances, Fragment } from '../benchmark.ts'
import { longDate } from '../long-date.ts'
import type { Tally } from './tally.ts'

export const WAYS = ['no memory', 'a shared timer of 90 s', 'Backstop'] as const

export type WeekResults = Record<(typeof WAYS)[number], Tally>

/** Of the requests in production, whose shape the week has; `week.test.ts` compares them. */
export const FAILED_IN_PRODUCTION = 496

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

const count = (value: number): string => value.toLocaleString('en-US')

/** What the pages say of the week. */
export function weekFragments(results: WeekResults, { date }: Circumstances): readonly Fragment[] {
  const [none, timer, ours] = WAYS.map(way => results[way]) as [Tally, Tally, Tally]
  const shares = `without memory ${percent(none.answeredShare)} of the requests are answered, with a shared timer of 90 s ${percent(timer.answeredShare)}, with Backstop ${percent(ours.answeredShare)}`
  return [
    {
      page: 'README.md',
      id: 'memory',
      text: [
        `![A week replayed three ways: ${shares}](infra/pictures/week.svg)`,
        `A week of ${count(ours.requests)} requests with the shape of one in production, in which ${FAILED_IN_PRODUCTION} failed: dead free models, full pools, one very bad day. \`npm run bench -- week\` replays it against the whole gateway in virtual time, beside the same chain without memory and with one perfect timer of 90 s that all share. Measured on ${longDate(date)}: of the requests that any endpoint could answer, ${percent(ours.answeredShare)} were answered (${percent(none.answeredShare)} and ${percent(timer.answeredShare)} otherwise). Dead endpoints cost ${count(ours.structuralWaste)} attempts of users (${count(none.structuralWaste)} and ${count(timer.structuralWaste)}) and ${count(ours.probes)} probes in all.`,
      ].join('\n\n'),
    },
    {
      page: 'test/bench/README.md',
      id: 'last',
      text: `${shares} (${longDate(date)})`,
    },
  ]
}
