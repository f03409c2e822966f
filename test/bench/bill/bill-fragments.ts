import type { Circumstances, Fragment } from '../benchmark.ts'
import { longDate } from '../long-date.ts'
import { idleBill, totalOf, type BillRow, type StackFigures } from './idle-bill.ts'
import type { BillFigures } from './measure-bill.ts'
import { PRICES, PRICES_OF } from './prices.ts'
import {
  breakEven,
  containerBill,
  containerCapacity,
  functionDollars,
  millionDollars,
  requestBill,
} from './request-bill.ts'

export type BillResults = {
  figures: BillFigures
  stacks: { all: StackFigures; essential: StackFigures }
  metricSets: { requests: number; all: number; essential: number }
}

const money = (dollars: number): string => dollars.toFixed(2)
const thousands = (value: number): string => (Math.round(value / 1_000) * 1_000).toLocaleString('en')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map(cells => `| ${cells.join(' | ')} |`)
    .join('\n')
    .replaceAll('| --- ', '|---')
    .replaceAll('--- |', '---|')

const billTable = (rows: readonly BillRow[]): string =>
  table(
    ['item', 'arithmetic', 'dollars'],
    [
      ...rows.map(({ item, arithmetic, dollars }) => [item, arithmetic, money(dollars)]),
      ['**together**', '', `**${money(totalOf(rows))}**`],
    ],
  )

const LENGTHS = [
  { events: 100, seconds: 1 },
  { events: 500, seconds: 5 },
  { events: 3_000, seconds: 30 },
]
const MEMORIES = [256, 512, 1_024]
const SHIPPED = { events: 500, seconds: 5, mb: 512 }

/** What the pages say of the bill. */
export function billFragments(
  { figures, stacks, metricSets }: BillResults,
  { date }: Circumstances,
): Fragment[] {
  const idle = totalOf(idleBill(stacks.all, figures.probe))
  const essential = totalOf(idleBill(stacks.essential, figures.probe))
  const million = totalOf(requestBill(figures))
  const container = containerBill()
  const page = 'infra/README.md'
  const lengths = LENGTHS.map(({ events, seconds }) => [
    `${events.toLocaleString('en')} tokens in ${seconds} s`,
    ...MEMORIES.map(mb => money(millionDollars(figures, { events, seconds, mb }))),
  ])
  const even = (seconds: number, events: number): string =>
    thousands(breakEven(figures, idle, { seconds, events, mb: SHIPPED.mb }))
  const { short, long } = figures
  return [
    { page, id: 'idle', text: billTable(idleBill(stacks.all, figures.probe)) },
    {
      page,
      id: 'idle-sums',
      text: `The dashboard counts as paid for by the three that AWS gives each account; if yours are taken, an idle month costs ${money(idle + PRICES.dashboardMonth)}. With \`deploy: { metrics: 'essential', alarms: 'essential', dashboard: false }\` it costs ${money(essential)}: ${stacks.essential.alarmMetrics} metrics in ${stacks.essential.alarms} alarms, whatever the number of models.`,
    },
    { page, id: 'million', text: billTable(requestBill(figures)) },
    {
      page,
      id: 'lengths',
      text: table(['answers', ...MEMORIES.map(mb => `${mb} MB`)], lengths),
    },
    {
      page,
      id: 'measured',
      text: `Measured on ${longDate(date)} with the bundles of the stack under Lambda's runtime client: an answer of one event takes ${short.cpuMs.toFixed(1)} ms of one core, one of 500 events ${long.cpuMs.toFixed(0)} ms; an instance holds at most ${figures.peakMb.toFixed(0)} MB. Prices: ${PRICES_OF}. \`npm run bench -- bill\` computes all of it.`,
    },
    {
      page,
      id: 'metrics',
      text: `After ${metricSets.requests} requests to the shipped configuration, one in three of which fell back, with failures of every kind, there were ${metricSets.all} sets, so ${money(metricSets.all * PRICES.metricMonth)} a month; with \`metrics: 'essential'\`, ${metricSets.essential}, so ${money(metricSets.essential * PRICES.metricMonth)}.`,
    },
    { page, id: 'container', text: billTable(container) },
    {
      page,
      id: 'break-even',
      text: `The function costs less up to ${even(1, 100)} requests a month whose answers take 1 s, ${even(5, 500)} at 5 s, and ${even(30, 3_000)} at 30 s; beyond, such a container does. By its own work a quarter of a core serves up to ${thousands(containerCapacity(figures, 500))} answers of 500 tokens a month, one after the other and without a second container to stand in. Table, logs and traffic cost the same either way.`,
    },
    {
      page: 'README.md',
      id: 'sentence',
      text: `**Idle it costs about ${money(idle)} dollars a month** (list prices, us-east-1; ${money(idle + PRICES.dashboardMonth)} if your three free dashboards are taken, ${money(essential)} with everything \`essential\`); a million streamed requests of 5 s cost about ${million.toFixed(0)} dollars besides tokens, of which ${functionDollars(figures, SHIPPED).toFixed(0)} are the function's waiting.`,
    },
    {
      page: 'test/bench/README.md',
      id: 'last',
      text: `idle ${money(idle)} dollars a month, essential ${money(essential)}; a million requests ${money(million)} (${longDate(date)})`,
    },
  ]
}
