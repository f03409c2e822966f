import type { OrderLines } from '../../local-contract.ts'
import { type Paint, printable } from '../../terminal/paint.ts'
import { explainRank, type RankLine } from '../../explain/explain-rank.ts'
import { explainSkip } from '../../explain/explain-skip.ts'

type ShownRank = NonNullable<OrderLines['data'][number]['rank']>

const rankLine = ({ first_output_ms, tokens_per_second, headroom, ...rest }: ShownRank): RankLine => ({
  ...rest,
  firstOutputMs: first_output_ms ?? null,
  tokensPerSecond: tokens_per_second ?? null,
  factors: { headroom: headroom ?? 1 },
})

/** The order in which the endpoints of an alias would be called now, and why, as lines for people. */
export function explainOrder({ model, strategy, data }: OrderLines, now: number, paint: Paint): string[] {
  const called = data.filter(({ place }) => place !== null)
  const lines = called.flatMap(({ place, tier, endpoint, health, rank }) => [
    `  ${place}. tier ${tier}  ${printable(endpoint)}${health === 'suspect' ? paint('dim', '  (suspect)') : ''}`,
    ...(rank === null ? [] : [`       ${paint('dim', explainRank(rankLine(rank)))}`]),
  ])
  const skipped = data.flatMap(({ tier, endpoint, skipped: skip }) =>
    skip === null ? [] : [`  tier ${tier}  ${printable(endpoint)}: ${explainSkip(skip, now)}`],
  )
  return [
    `${paint('bold', printable(model))}  strategy ${printable(strategy)}`,
    '',
    ...(called.length === 0 ? ['  no endpoint could be called'] : lines),
    ...(skipped.length === 0 ? [] : ['', paint('bold', 'Skipped'), ...skipped]),
  ]
}
