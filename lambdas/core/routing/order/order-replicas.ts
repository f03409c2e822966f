import type { Endpoint, Tier } from '../../endpoint.ts'
import type { Factors, Rank, StrategyRank } from '../../order/rank.ts'
import { STRATEGIES, type FactorWeights, type Strategy } from '../../order/strategies.ts'
import type { Snapshot } from '../snapshot.ts'
import { isWeighted, orderByWeight, weightOf } from './by-weight.ts'
import { compareReplicas } from './compare-replicas.ts'
import type { Random } from './sample-beta.ts'
import { estimateSuccess, meanOf, sampleOf } from './success-estimate.ts'

export type Ranked = { endpoint: Endpoint; rank: Rank | null }

/** Whatever an order depends on beside the replicas. */
export type OrderLook = {
  snapshot: Pick<Snapshot, 'figures' | 'keys' | 'quotas' | 'degraded'>
  promptTokens: number
  /** Null = none: the order is the likeliest one. */
  random: Random | null
  /** The request can be sent only once, so that nothing is tried out on it. */
  sentOnce?: boolean
}

/** So many requests try what might be first, if it has become better than what is known of it. */
const EXPLORED_SHARE = 0.02
/** So many while it is new, until a few calls tell what it is like: at one in fifty that would take hundreds of requests. */
const NEW_SHARE = 0.2
const FEW_EVER = 4
/** An endpoint with fewer calls in the last hour is not known to be bad now. */
const FEW_CALLS = 10

const scoreOf = (success: number, factors: Factors, weights: FactorWeights): number =>
  success ** weights.success *
  factors.firstOutput ** weights.firstOutput *
  factors.output ** weights.output *
  factors.price ** weights.price *
  factors.headroom ** weights.headroom

/** `score` in full; its rank is what people read. */
type Scored = {
  endpoint: Endpoint
  rank: StrategyRank
  score: number
  atBest: number
  calls: number
  ever: number
}

/** Three digits: in a log line and before a person more say nothing. */
const rounded = (value: number): number => Number(value.toPrecision(3))
const roundedOrNull = (value: number | null): number | null => value && rounded(value)

/** What may be tried first: it would be the best if it always answered, and few calls say that it does not. */
function exploredOf([first, ...others]: readonly Scored[]): Scored | null {
  if (!first) return null
  const [fewest] = others
    .filter(({ atBest, calls }) => calls < FEW_CALLS && atBest > first.score)
    .toSorted((one, other) => one.calls - other.calls || one.ever - other.ever)
  return fewest ?? null
}

const roundedFactors = ({ firstOutput, output, price, headroom }: Factors): Factors => ({
  firstOutput: rounded(firstOutput),
  output: rounded(output),
  price: rounded(price),
  headroom: rounded(headroom),
})

function byFactors(
  replicas: Tier,
  strategy: Strategy,
  weights: FactorWeights,
  { snapshot, promptTokens, random, sentOnce = false }: OrderLook,
): readonly Ranked[] {
  const compared = compareReplicas(replicas, promptTokens, snapshot)
  const chance = snapshot.degraded || sentOnce ? null : random
  const scored = replicas.flatMap((endpoint, index): Scored[] => {
    const measures = compared[index]
    if (!measures) return []
    const figures = snapshot.figures.get(endpoint.id)
    const estimate = estimateSuccess(figures)
    const success = meanOf(estimate)
    const sample = chance === null ? success : sampleOf(estimate, chance)
    const score = scoreOf(sample, measures.factors, weights)
    return [
      {
        endpoint,
        score,
        rank: {
          by: strategy,
          success: rounded(success),
          sample: rounded(sample),
          score: rounded(score),
          firstOutputMs: roundedOrNull(measures.firstOutputMs),
          tokensPerSecond: roundedOrNull(measures.tokensPerSecond),
          dollars: measures.dollars,
          factors: roundedFactors(measures.factors),
        },
        atBest: scoreOf(1, measures.factors, weights),
        calls: figures ? figures.late.successes + figures.late.failures : 0,
        ever: figures ? figures.successes + figures.failures : 0,
      },
    ]
  })
  const sorted = scored.toSorted((one, other) => other.score - one.score)
  const explored = chance === null ? null : exploredOf(sorted)
  const share = explored && explored.ever < FEW_EVER ? NEW_SHARE : EXPLORED_SHARE
  if (!explored || chance === null || chance() >= share) return sorted
  const others = sorted.filter(one => one !== explored)
  return [{ ...explored, rank: { ...explored.rank, explored: true } }, ...others]
}

/**
 * The replicas of a tier in the order in which one request wants them, each with its reasons: by chance as their
 * declared weights say, else by what the strategy makes of what the fleet has counted, else as listed. Chance decides
 * nothing where nothing was counted of any of them, as on an instance that has just begun, in a degraded fleet, and for
 * a request that can be sent only once.
 */
export function orderReplicas(
  replicas: Tier,
  strategy: Strategy = 'priority',
  look: OrderLook,
): readonly Ranked[] {
  const asListed = (): readonly Ranked[] => replicas.map(endpoint => ({ endpoint, rank: null }))
  if (replicas.length < 2) return asListed()
  if (isWeighted(replicas)) {
    return orderByWeight(replicas, look.random).map(endpoint => ({
      endpoint,
      rank: { by: 'weight', weight: weightOf(endpoint) },
    }))
  }
  const weights = STRATEGIES[strategy]
  if (!weights) return asListed()
  const isKnown = replicas.some(({ id }) => look.snapshot.figures.get(id) !== undefined)
  return byFactors(replicas, strategy, weights, isKnown ? look : { ...look, random: null })
}

/** Whether the same replica comes first whenever all is well. */
export const isAsListed = (replicas: Tier, strategy: Strategy = 'priority'): boolean =>
  replicas.length < 2 || (!isWeighted(replicas) && STRATEGIES[strategy] === null)
