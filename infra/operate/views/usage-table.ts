import { oneLine, type Paint } from '../../terminal/paint.ts'
import { textTable, type Cell, type Column } from '../../terminal/text-table.ts'
import type { UsageDays } from './usage-days.ts'
import { sumOf, type UsageGroup, type UsageSum } from './usage-groups.ts'

const TITLES = ['requests', 'failed', 'tokens in', 'out', 'dollars', 'lost', 'fallback'] as const

const LEAST_NAME = 12
const MILLION = 1e6

const formatCount = (count: number): string =>
  count < MILLION ? count.toLocaleString('en-US') : `${(count / MILLION).toFixed(1)} M`

/** Cents are enough where there are dollars. */
const formatMoney = (dollars: number): string => dollars.toFixed(dollars >= 100 ? 2 : 4)

/** Nothing is known of what cost nothing but at unknown prices. */
const formatDollars = ({ dollars, unpriced }: UsageSum): string =>
  `${dollars === 0 && unpriced > 0 ? '–' : formatMoney(dollars)}${unpriced > 0 ? '*' : ' '}`

const formatShare = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(part === 0 ? 0 : 1)} %`

const valuesOf = (sum: UsageSum): readonly string[] => [
  formatCount(sum.requests),
  formatCount(sum.failed),
  formatCount(sum.promptTokens),
  formatCount(sum.outputTokens),
  formatDollars(sum),
  formatMoney(sum.lostDollars),
  formatShare(sum.fallbacks, sum.requests - sum.failed),
]

/** Use as lines for people: one row a name, the total below. */
export function usageTable(
  sums: readonly UsageSum[],
  { by, days }: { by: UsageGroup; days: UsageDays },
  { width, paint }: { width: number; paint: Paint },
): string[] {
  const period =
    days.first === days.last ? `on ${days.first} (UTC)` : `from ${days.first} to ${days.last} (UTC)`
  if (sums.length === 0) return [`No use is on record ${period}.`]
  const total = sumOf('total', sums)
  const shown = sums.length > 1 ? [...sums, total] : sums
  const values = shown.map(valuesOf)
  const widths = TITLES.map((title, column) =>
    Math.max(title.length, ...values.map(row => row[column]?.length ?? 0)),
  )
  const columns: Column[] = [
    { title: by, least: LEAST_NAME },
    ...TITLES.map((title, column) => ({ title: title.padStart(widths[column] ?? 0) })),
  ]
  const rows: Cell[][] = shown.map((sum, index) => [
    { text: oneLine(sum.name), ...(sum === total && { style: 'bold' as const }) },
    ...(values[index] ?? []).map((value, column) => ({ text: value.padStart(widths[column] ?? 0) })),
  ])
  const { title, lines } = textTable(columns, rows, { width, paint })
  const requests = total.unpriced === 1 ? '1 request' : `${formatCount(total.unpriced)} requests`
  return [
    `Use by ${by}, ${period}`,
    '',
    paint('bold', title),
    ...lines,
    ...(total.unpriced > 0 ? ['', `* without ${requests} whose price is not known`] : []),
  ]
}
