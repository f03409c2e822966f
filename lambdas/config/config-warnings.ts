import type { GatewayConfig, ModelConfig } from './gateway-config.ts'

/** What a valid configuration says and the gateway does not do, in words for its owner. */
export function configWarnings({ models, providers = {} }: GatewayConfig): readonly string[] {
  const aliases = Object.entries(models)
  return [
    ...(aliases.length === 0
      ? ['No models are configured: every chat request will be answered with 404.']
      : []),
    ...aliases.flatMap(([alias, model]) => weightWarnings(alias, model)),
    ...Object.entries(providers).flatMap(([id, { baseUrl }]) => baseUrlWarning(id, baseUrl)),
  ]
}

/** Weights share requests inside a tier alone, and win over a strategy. */
function weightWarnings(alias: string, { tiers, strategy }: ModelConfig<string>): readonly string[] {
  return tiers.flatMap((tier, index) => {
    // The tiers of another alias are judged with it.
    if ('alias' in tier) return []
    const isWeighted = tier.some(entry => typeof entry !== 'string' && entry.weight !== undefined)
    if (!isWeighted) return []
    const where = `models["${alias}"].tiers[${index}]`
    if (tier.length < 2) {
      return [
        `${where}: the weight has no effect, because the tier has one endpoint; ` +
          'to share requests between endpoints, list them in the same tier.',
      ]
    }
    if (strategy === undefined || strategy === 'priority') return []
    return [
      `${where}: the weights decide, not the strategy "${strategy}"; remove the weights to let the strategy order this tier.`,
    ]
  })
}

/** Nearly every host serves the API under a path, and answers 404 without it. */
function baseUrlWarning(id: string, baseUrl: string | undefined): string[] {
  if (baseUrl === undefined || new URL(baseUrl).pathname !== '/') return []
  return [
    `providers["${id}"]: the base URL has no path. Most hosts serve the API under /v1: ` +
      `if calls fail with 404, write ${new URL('/v1', baseUrl).href}.`,
  ]
}
