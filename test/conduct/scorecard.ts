import { VERDICTS, type Judgement, type Verdict } from './judge.ts'
import { LANES, type LaneName } from './lanes.ts'
import type { Judged, ProfileName } from './run-profile.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'

/** What others have published for the same sixteen, as pass, partial, safe, fail. */
const PUBLISHED: Readonly<Record<string, readonly number[]>> = {
  Portkey: [11, 2, 0, 3],
  Bifrost: [9, 3, 3, 1],
  LiteLLM: [9, 3, 4, 0],
}

/** Buffered answers are asked for in two ways, and are only as good as the worse of them. */
const BUFFERED: readonly ProfileName[] = ['held', 'whole']
const FROM_WORST: readonly Verdict[] = ['fail', 'partial', 'safe', 'pass']

/** One fault asked in one API. `promised`: the verdict where the answer is streamed; buffered it is `pass`. */
export type Row = {
  lane: LaneName
  title: string
  promised: Scenario['streamed']
  streamed: Judgement
  buffered: Judgement
}

const worseOf = (judgements: readonly Judgement[]): Judgement =>
  FROM_WORST.flatMap(verdict => judgements.filter(judgement => judgement.verdict === verdict))[0] ?? {
    verdict: 'fail',
    reason: 'was not played',
  }

const LANE_NAMES = Object.keys(LANES) as LaneName[]

/** One row a scenario and lane that was played. */
export function rowsOf(judged: readonly Judged[]): readonly Row[] {
  const played = LANE_NAMES.filter(lane => judged.some(found => found.lane === lane))
  return played.flatMap(lane =>
    SCENARIOS.map(({ id, title, streamed }) => {
      const of = (profiles: readonly ProfileName[]): Judgement =>
        worseOf(
          judged.filter(
            found => found.scenario.id === id && found.lane === lane && profiles.includes(found.profile),
          ),
        )
      // Reason and verdict only: what is kept of a row goes into a file.
      const told = ({ verdict, reason }: Judgement): Judgement => ({ verdict, reason })
      return {
        lane,
        title,
        promised: streamed,
        streamed: told(of(['streamed'])),
        buffered: told(of(BUFFERED)),
      }
    }),
  )
}

/** How many of each verdict. */
export const tallyOf = (judgements: readonly Judgement[]): readonly number[] =>
  VERDICTS.map(verdict => judgements.filter(judgement => judgement.verdict === verdict).length)

/** The rows whose verdict is not what is promised of them. */
export const brokenPromises = (rows: readonly Row[]): readonly Row[] =>
  rows.filter(
    ({ promised, streamed, buffered }) => streamed.verdict !== promised || buffered.verdict !== 'pass',
  )

/** Name, and how many of each verdict. */
export type Total = readonly [string, readonly number[]]

export const PUBLISHED_TOTALS: readonly Total[] = Object.entries(PUBLISHED).map(([name, tally]) => [
  `${name}, as published`,
  tally,
])

const lanesOf = (rows: readonly Row[]): { lane: LaneName; found: readonly Row[] }[] =>
  [...new Set(rows.map(({ lane }) => lane))].map(lane => ({
    lane,
    found: rows.filter(row => row.lane === lane),
  }))

/** Of each API, streamed and buffered. */
export const totalsOf = (rows: readonly Row[]): readonly Total[] =>
  lanesOf(rows).flatMap(({ lane, found }): Total[] => [
    [`Backstop, ${lane}, streamed`, tallyOf(found.map(({ streamed }) => streamed))],
    [`Backstop, ${lane}, buffered`, tallyOf(found.map(({ buffered }) => buffered))],
  ])

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...body].map(cells => cells[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = line(widths.map(width => '-'.repeat(width)))
  return [line(head), rule, ...body.map(line)].join('\n')
}

function laneTable(lane: LaneName, rows: readonly Row[]): string {
  const cells = rows.map(({ title, streamed, buffered }, position) => [
    `${position + 1}`,
    title,
    streamed.verdict,
    streamed.reason,
    buffered.verdict,
    buffered.reason,
  ])
  return `${lane}\n\n${table(['', 'what breaks', 'streamed', 'seen', 'buffered', 'seen'], cells)}`
}

/** The whole scorecard: a table of the faults for each API, and the totals beside the published ones. */
export function scorecard(rows: readonly Row[]): string {
  const totals = [...totalsOf(rows), ...PUBLISHED_TOTALS]
  return [
    ...lanesOf(rows).map(({ lane, found }) => laneTable(lane, found)),
    table(
      ['', ...VERDICTS],
      totals.map(([name, tally]) => [name, ...tally.map(String)]),
    ),
  ].join('\n\n')
}
