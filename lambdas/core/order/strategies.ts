/** How much each factor of an endpoint counts: exponents of a product, so that 0 leaves a factor out. */
export type FactorWeights = {
  /** The share of its calls that it answers. */
  success: number
  /** How soon its first output comes, compared with the soonest replica's. */
  firstOutput: number
  /** How fast the rest of its output comes, compared with the fastest replica's. */
  output: number
  /** What a request costs there, compared with the cheapest replica. */
  price: number
  /** What is left of its known quotas. */
  headroom: number
}

/** By the name that a configuration gives; null = replicas are called as listed. */
export const STRATEGIES = {
  priority: null,
  balanced: { success: 3, firstOutput: 0.5, output: 0.25, price: 0.25, headroom: 0.5 },
  reliable: { success: 6, firstOutput: 0.1, output: 0, price: 0, headroom: 0.25 },
  fastest: { success: 2, firstOutput: 2, output: 1, price: 0, headroom: 0.25 },
  cheapest: { success: 8, firstOutput: 0.1, output: 0, price: 2, headroom: 0.25 },
} as const satisfies Record<string, FactorWeights | null>

export type Strategy = keyof typeof STRATEGIES

const isStrategy = (name: string): name is Strategy => Object.hasOwn(STRATEGIES, name)
export const STRATEGY_NAMES: readonly Strategy[] = Object.keys(STRATEGIES).filter(isStrategy)
