import { clientOf } from '../core/callers/client-limits.ts'
import { mayUse, mayUseDirectly } from '../core/callers/may-use.ts'
import type { Caller } from '../core/caller.ts'
import type { ConfiguredNames } from '../core/callers/usage-counts.ts'
import type { Chain } from '../core/endpoint.ts'
import { closestName } from './closest-name.ts'
import { directChain } from './direct-chain.ts'
import { endpointsOf } from './endpoints-of.ts'
import type { Gateway } from './resolve-gateway.ts'

/** The chains that clients can ask for by name. */
export type ConfiguredChains = {
  /** The configured aliases that a caller may use, in the order of the file. */
  aliasesFor(caller: Caller): readonly string[]
  /** Also `provider/model` where clients may ask for endpoints directly; null where the name leads nowhere. */
  find(alias: string, settings: { direct_models: boolean }): Chain | null
  mayUse(caller: Caller, chain: Chain): boolean
  /** The alias that a caller most likely meant by an unknown name; null where none comes near. */
  closest(name: string, caller: Caller): string | null
}

export function configuredChains(gateway: Gateway): ConfiguredChains {
  const { chains, clients, defaultAlias } = gateway
  const defaultChain = (defaultAlias === null ? null : chains.get(defaultAlias)) ?? null

  function isAllowed({ name }: Caller, chain: Chain): boolean {
    const client = clientOf(clients, name)
    if (chains.get(chain.alias) === chain) return mayUse(name, client, chain)
    return chain.tiers.flat().every(({ id }) => mayUseDirectly(name, client, id, chains.values()))
  }

  const aliasesFor = (caller: Caller): readonly string[] =>
    [...chains].flatMap(([alias, chain]) => (isAllowed(caller, chain) ? [alias] : []))

  return {
    aliasesFor,
    find: (alias, { direct_models: direct }) =>
      chains.get(alias) ?? (direct ? directChain(gateway, alias) : null) ?? defaultChain,
    mayUse: isAllowed,
    closest: (name, caller) => closestName(name, aliasesFor(caller)),
  }
}

/** The names that stand in the configuration itself. */
export const configuredNames = (gateway: Pick<Gateway, 'chains' | 'defaultAlias'>): ConfiguredNames => ({
  aliases: new Set(gateway.chains.keys()),
  endpoints: new Set(endpointsOf(gateway).map(({ name }) => name)),
  defaultAlias: gateway.defaultAlias,
})
