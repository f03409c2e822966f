import { splitReference } from '../../../lambdas/config/endpoint-reference.ts'
import type { GatewayConfig, ProviderConfig } from '../../../lambdas/config/gateway-config.ts'
import { entriesOfAll, referenceOf } from '../../../lambdas/config/tiers-of.ts'
import { findProvider } from '../../../lambdas/providers/catalog.ts'

type ProviderKeys = ReadonlyMap<string, readonly string[]>

/** A configuration in which some providers are played by this machine, and the keys that go with it. */
export type Simulation = {
  config: GatewayConfig
  providerKeys: ProviderKeys
  /** Providers of the catalogue that are simulated, in the order in which the configuration names them. */
  simulated: readonly string[]
}

/**
 * Points every provider of the catalogue that lacks the key it needs at the simulation. Providers with a key, or
 * in `signed` because AWS credentials serve as one, stay real; one with a base URL of its own is never simulated, because its owner said where it is.
 */
export function simulateUnkeyed(
  config: GatewayConfig,
  providerKeys: ProviderKeys,
  baseUrlOf: (provider: string) => string,
  signed: readonly string[] = [],
): Simulation {
  const providers: Readonly<Record<string, ProviderConfig>> = config.providers ?? {}
  const simulated = providersOf(config).filter(id => {
    const { baseUrl, key, like } = providers[id] ?? {}
    const needsKey = findProvider(like ?? id)?.needsKey === true && key !== false
    const isKeyed = (providerKeys.get(id) ?? []).length > 0 || signed.includes(id)
    return needsKey && baseUrl === undefined && !isKeyed
  })
  if (simulated.length === 0) return { config, providerKeys, simulated }
  const replaced = simulated.map(id => {
    const { wires, ...rest } = providers[id] ?? {}
    const moved = { ...movedWires(id), ...wires }
    const ownWires = Object.keys(moved).length > 0 ? { wires: moved } : {}
    return [id, { ...rest, ...ownWires, baseUrl: baseUrlOf(id) }] as const
  })
  return {
    config: { ...config, providers: { ...providers, ...Object.fromEntries(replaced) } },
    providerKeys: new Map([...providerKeys, ...simulated.map(id => [id, [`simulated-${id}`]] as const)]),
    simulated,
  }
}

/** The APIs that a provider serves elsewhere on its host: here all of them are under its base URL. */
function movedWires(id: string): ProviderConfig['wires'] {
  const { responses, messages } = findProvider(id)?.wires ?? {}
  return {
    ...(responses && isElsewhere(responses.path) ? { responses: { path: 'responses' } } : {}),
    ...(messages && isElsewhere(messages.path) ? { messages: { path: 'messages' } } : {}),
  }
}

const isElsewhere = (path: string): boolean => /^(?:\/|\.\.|https?:)/.test(path)

/** Every provider that is configured or referred to. */
function providersOf(config: GatewayConfig): string[] {
  const references = entriesOfAll(config).map(entry => splitReference(referenceOf(entry))?.provider)
  return [...new Set([...references, ...Object.keys(config.providers ?? {})])].filter(id => id !== undefined)
}
