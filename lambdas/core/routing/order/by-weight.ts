import type { Endpoint, Tier } from '../../endpoint.ts'
import type { Random } from './sample-beta.ts'

/** Weights win over the strategy where a replica declares one. */
export const isWeighted = (replicas: Tier): boolean => replicas.some(({ weight }) => weight !== undefined)

/** An undeclared weight counts 1. */
export const weightOf = ({ weight = 1 }: Endpoint): number => weight

const TINY = 1e-12

/**
 * The replicas in an order drawn by their weights: each comes first as often as its share of their sum, and those
 * behind it are drawn among what is left. Weight 0 comes after all others, as listed. Without chance the heaviest is
 * first.
 */
export function orderByWeight(replicas: Tier, random: Random | null): Tier {
  // Efraimidis and Spirakis: https://doi.org/10.1016/j.ipl.2005.11.003
  const keyOf = (weight: number): number =>
    random === null ? -weight : -Math.log(Math.max(TINY, 1 - random())) / weight
  const drawn = replicas
    .filter(replica => weightOf(replica) > 0)
    .map(replica => ({ replica, key: keyOf(weightOf(replica)) }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ replica }) => replica)
  return [...drawn, ...replicas.filter(replica => weightOf(replica) === 0)]
}
