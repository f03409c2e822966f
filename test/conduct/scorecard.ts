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

type Row = { scenario: Scenario; lane: LaneName; streamed: Judgement; buffered: Judgement }

const worseOf = (judgements: readonly Judgement[]): Judgement =>
  FROM_WORST.flatMap(verdict => judgements.filter(judgement => judgement.verdict === verdict))[0] ?? {
    verdict: 'fail',
    reason: 'was not played',
  }

const LANE_NAMES = Object.keys(LANES) as LaneName[]

/** One row a scenario and lane. */
export function rowsOf(judged: readonly Judged[]): readonly Row[] {
  return LANE_NAMES.flatMap(lane =>
    SCENARIOS.map(scenario => {
      const of = (profiles: readonly ProfileName[]): Judgement =>
        worseOf(
          judged.filter(
            found =>
              found.scenario.id === scenario.id && found.lane === lane && profiles.includes(found.profile),
          ),
        )
      return { scenario, lane, streamed: of(['streamed']), buffered: of(BUFFERED) }
    }),
  )
}

const tallyOf = (judgements: readonly Judgement[]): readonly number[] =>
  VERDICTS.map(verdict => judgements.filter(judgement => judgement.verdict === verdict).length)

/** The scenarios whose verdict is not what is promised of them. */
export const brokenPromises = (rows: readonly Row[]): readonly Row[] =>
  rows.filter(
    ({ scenario, streamed, buffered }) =>
      streamed.verdict !== scenario.streamed || buffered.verdict !== 'pass',
  )

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
  const cells = rows.map(({ scenario, streamed, buffered }, position) => [
    `${position + 1}`,
    scenario.title,
    streamed.verdict,
    streamed.reason,
    buffered.verdict,
    buffered.reason,
  ])
  return `${lane}\n\n${table(['', 'what breaks', 'streamed', 'seen', 'buffered', 'seen'], cells)}`
}

/** The whole scorecard: a table of the scenarios for each API, and the totals beside the published ones. */
export function scorecard(rows: readonly Row[]): string {
  const lanes = LANE_NAMES.map(lane => ({ lane, rows: rows.filter(row => row.lane === lane) }))
  const own = lanes.flatMap(({ lane, rows: found }) => [
    [`Backstop, ${lane}, streamed`, tallyOf(found.map(({ streamed }) => streamed))] as const,
    [`Backstop, ${lane}, buffered`, tallyOf(found.map(({ buffered }) => buffered))] as const,
  ])
  const totals = [
    ...own,
    ...Object.entries(PUBLISHED).map(([name, tally]) => [`${name}, as published`, tally] as const),
  ]
  return [
    ...lanes.map(({ lane, rows: found }) => laneTable(lane, found)),
    table(
      ['', ...VERDICTS],
      totals.map(([name, tally]) => [name, ...tally.map(String)]),
    ),
  ].join('\n\n')
}
