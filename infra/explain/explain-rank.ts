import { formatDollars } from '../../lambdas/core/format-dollars.ts'
import { formatDuration } from '../terminal/format-duration.ts'
import { printable } from '../terminal/paint.ts'
import type { CompletedLine } from '../local-contract.ts'

export type RankLine = NonNullable<CompletedLine['plan']['candidates'][number]['rank']>

const percent = (share: number): string => `${Math.round(100 * share)} %`

/** Why a replica stands where it stands in its tier, in words. */
export function explainRank(rank: RankLine): string {
  if (rank.by === 'weight') return `weight ${rank.weight ?? 1}`
  const { by, score, success, sample, firstOutputMs, tokensPerSecond, dollars, factors, explored } = rank
  const headroom = factors?.headroom ?? 1
  const parts = [
    score === undefined ? null : `score ${score}`,
    success === undefined ? null : `answers ${percent(success)} of calls`,
    sample === undefined || sample === success ? null : `this time taken as ${percent(sample)}`,
    firstOutputMs == null ? null : `first output in ${formatDuration(firstOutputMs)}`,
    tokensPerSecond == null ? null : `${Math.round(tokensPerSecond)} tokens a second`,
    dollars == null ? null : `about $${formatDollars(dollars)} a request`,
    headroom === 1 ? null : `${percent(headroom)} of its quotas left`,
    explored ? 'tried to see whether it has become better' : null,
  ]
  return `${printable(by)}: ${parts.filter(part => part !== null).join(', ')}`
}
