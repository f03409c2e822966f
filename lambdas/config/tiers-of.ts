import type { EndpointConfig, EndpointReference, GatewayConfig, TierConfig } from './gateway-config.ts'

/** An entry of a tier: a reference, or an object with it. */
export type TierEntry = EndpointReference<string> | EndpointConfig<string>

export const referenceOf = (entry: TierEntry): string => (typeof entry === 'string' ? entry : entry.endpoint)

const isAlias = (tier: TierConfig<string>): tier is { readonly alias: string } => 'alias' in tier

/**
 * The tiers of an alias, with the chains that it ends in written out; an endpoint counts once, where it comes first. An
 * alias that leads back to itself, which validation reports, ends there.
 */
export function tiersOf(
  models: GatewayConfig['models'],
  alias: string,
  within: readonly string[] = [],
): readonly (readonly TierEntry[])[] {
  if (within.includes(alias)) return []
  const tiers = (models[alias]?.tiers ?? []).flatMap(tier =>
    isAlias(tier) ? tiersOf(models, tier.alias, [...within, alias]) : [tier],
  )
  const seen = new Set<string>()
  return tiers.flatMap(tier => {
    const fresh = tier.filter(entry => !seen.has(referenceOf(entry)))
    for (const entry of fresh) seen.add(referenceOf(entry))
    return fresh.length > 0 ? [fresh] : []
  })
}

/** The first endpoint of each alias's chain, by name. */
export const firstEndpoints = (models: GatewayConfig['models']): ReadonlyMap<string, string> =>
  new Map(
    Object.keys(models).flatMap(alias => {
      const [first] = tiersOf(models, alias).flat()
      return first === undefined ? [] : [[alias, referenceOf(first)] as const]
    }),
  )

/** Every entry of every alias. */
export const entriesOfAll = ({ models }: Pick<GatewayConfig, 'models'>): readonly TierEntry[] =>
  Object.keys(models).flatMap(alias => tiersOf(models, alias).flat())
