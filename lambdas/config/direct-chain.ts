import type { Chain } from '../core/endpoint.ts'
import { endpointAt } from './resolve-endpoint.ts'
import type { Gateway } from './resolve-gateway.ts'

/**
 * A `provider/model` that a client asks for directly, as a chain of one; null where it leads nowhere. What the
 * configuration declares about the endpoint still holds. Whether clients may (`direct_models`) is the caller's
 * question, because an operator can change it while the gateway runs.
 */
export function directChain({ chains, providers }: Gateway, reference: string): Chain | null {
  const declared = [...chains.values()]
    .flatMap(({ tiers }) => tiers.flat())
    .find(({ name }) => name === reference)
  const endpoint = declared ?? endpointAt({ endpoint: reference }, {}, providers)
  return endpoint && { alias: reference, tiers: [[endpoint]], isDirect: true, buffer: false }
}
