import type { Strategy } from './strategies.ts'

/** How an endpoint compares for one request: 1 = as good as the best of its tier, less = worse, never 0. */
export type Factors = { firstOutput: number; output: number; price: number; headroom: number }

/** What it would take there, as far as is known. */
export type Measures = {
  /** Half of the answers begin within so many milliseconds. */
  firstOutputMs: number | null
  tokensPerSecond: number | null
  /** Of the prompt, and of an answer of usual length. */
  dollars: number | null
}

/** By what the strategy of its chain makes of what the fleet has counted. */
export type StrategyRank = Measures & {
  by: Strategy
  /** The share of calls that it is believed to answer, and the one that it was ordered by this time. */
  success: number
  sample: number
  factors: Factors
  /** How good it is by all that its strategy counts: 1 = nothing could be better. */
  score: number
  /** It comes first this once, because little is known of how it does now. */
  explored?: true
}

/** Why a replica stands where it stands in its tier. */
export type Rank = StrategyRank | { by: 'weight'; weight: number }
