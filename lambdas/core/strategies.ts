import type { Tier } from './endpoint.ts'

/** How the replicas of a tier are ordered. */
type Order = (replicas: Tier) => Tier

/** By the name that a configuration gives; null = known, but not built yet: the order is that of `priority`. */
export const STRATEGIES = {
  /** As listed. */
  priority: replicas => replicas,
  balanced: null,
  reliable: null,
  fastest: null,
} as const satisfies Record<string, Order | null>

export type Strategy = keyof typeof STRATEGIES

const isStrategy = (name: string): name is Strategy => Object.hasOwn(STRATEGIES, name)
export const STRATEGY_NAMES: readonly Strategy[] = Object.keys(STRATEGIES).filter(isStrategy)

/** The replicas of a tier in the order in which they are wanted. */
export function orderReplicas(replicas: Tier, strategy: Strategy = 'priority'): Tier {
  const order: Order = STRATEGIES[strategy] ?? STRATEGIES.priority
  return order(replicas)
}
