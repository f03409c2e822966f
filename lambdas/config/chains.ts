import type { Chain } from '../core/endpoint.ts'
import { closestName } from './closest-name.ts'
import { directChain } from './direct-chain.ts'
import type { Gateway } from './resolve-gateway.ts'

/** The chains that clients can ask for by name. */
export type ConfiguredChains = {
  /** The configured aliases, in the order of the file. */
  aliases: readonly string[]
  /** Also `provider/model` where clients may ask for endpoints directly; null where the name leads nowhere. */
  find(alias: string, settings: { direct_models: boolean }): Chain | null
  /** The alias that a client most likely meant by an unknown name; null where none comes near. */
  closest(name: string): string | null
}

export function configuredChains(gateway: Gateway): ConfiguredChains {
  const { chains } = gateway
  const aliases = [...chains.keys()]
  return {
    aliases,
    find: (alias, { direct_models: direct }) =>
      chains.get(alias) ?? (direct ? directChain(gateway, alias) : null),
    closest: name => closestName(name, aliases),
  }
}
