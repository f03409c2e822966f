import type { Rank } from '../../core/order/rank.ts'

/** Why a replica stands where it stands, as replies show it; undefined where replicas stand as listed. */
export function rankFields(rank: Rank | undefined) {
  if (rank === undefined || rank.by === 'weight') return rank
  const { by, success, sample, score, firstOutputMs, tokensPerSecond, dollars, factors, explored } = rank
  return {
    by,
    score,
    success,
    sample,
    first_output_ms: firstOutputMs,
    tokens_per_second: tokensPerSecond,
    dollars,
    headroom: factors.headroom,
    factors: { first_output: factors.firstOutput, output: factors.output, price: factors.price },
    ...(explored && { explored }),
  }
}
