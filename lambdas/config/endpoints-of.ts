import type { Endpoint } from '../core/endpoint.ts'
import type { Gateway } from './resolve-gateway.ts'

/** Every endpoint that the configuration names, once, however many aliases lead to it. */
export function endpointsOf({ chains }: Pick<Gateway, 'chains'>): readonly Endpoint[] {
  const all = [...chains.values()].flatMap(({ tiers }) => tiers.flat())
  return [...new Map(all.map(endpoint => [endpoint.id, endpoint])).values()]
}
