import type { Circumstances, Fragment } from '../benchmark.ts'
import { longDate } from '../long-date.ts'
import { VERDICTS } from '../../conduct/judge.ts'
import {
  brokenPromises,
  PUBLISHED_TOTALS,
  type Row,
  tallyOf,
  totalsOf,
  type Total,
} from '../../conduct/scorecard.ts'

const PAGE = 'test/conduct/README.md'

const table = (lines: readonly (readonly string[])[]): string =>
  lines.map(cells => `| ${cells.join(' | ')} |`.replace(/^\|  \|/, '|  |')).join('\n')

const scores = (totals: readonly Total[]): string =>
  table([
    ['', ...VERDICTS],
    ['---', ...VERDICTS.map(() => '---')],
    ...totals.map(([name, tally]) => [name, ...tally.map(String)]),
  ])

/** What the pages say of the scorecard. */
export function conductFragments(rows: readonly Row[], { date }: Circumstances): readonly Fragment[] {
  const chat = rows.filter(({ lane }) => lane === 'chat')
  const faults = chat.map(({ title, streamed, buffered }, place) => [
    `${place + 1}`,
    title,
    streamed.verdict,
    streamed.reason,
    buffered.verdict,
    buffered.reason,
  ])
  const head = ['', 'fault', 'streamed', 'result', 'buffered', 'result']
  const own: readonly Total[] = [
    ['Backstop, streamed', tallyOf(chat.map(({ streamed }) => streamed))],
    ['Backstop, buffered', tallyOf(chat.map(({ buffered }) => buffered))],
  ]
  const lanes = new Set(rows.map(({ lane }) => lane)).size
  const kept = rows.length - brokenPromises(rows).length
  return [
    { page: PAGE, id: 'faults', text: table([head, head.map(() => '---'), ...faults]) },
    { page: PAGE, id: 'totals', text: scores([...totalsOf(rows), ...PUBLISHED_TOTALS]) },
    { page: 'README.md', id: 'score', text: scores([...own, ...PUBLISHED_TOTALS]) },
    {
      page: 'test/bench/README.md',
      id: 'last',
      text: `${kept} of ${rows.length} are played as promised, in ${lanes} ways to speak (${longDate(date)})`,
    },
  ]
}
