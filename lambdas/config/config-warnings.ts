import { EVERY_OTHER } from '../core/callers/client-limits.ts'
import type { GatewayConfig, ModelConfig } from './gateway-config.ts'

/** What a valid configuration says and the gateway does not do, in words for its owner. */
export function configWarnings({
  models,
  providers = {},
  clients = {},
  settings = {},
  deploy,
}: GatewayConfig): readonly string[] {
  const aliases = Object.entries(models)
  return [
    ...(aliases.length === 0 && settings.direct_models !== true
      ? ['No models are configured: every chat request will be answered with 404.']
      : []),
    ...aliases.flatMap(([alias, model]) => weightWarnings(alias, model)),
    ...(deploy?.auth === 'iam' ? signerWarnings(Object.keys(clients)) : []),
    ...Object.entries(providers).flatMap(([id, { baseUrl }]) => baseUrlWarning(id, baseUrl)),
  ]
}

/** Who signs its requests is known by account and role. */
function signerWarnings(clients: readonly string[]): readonly string[] {
  const nobody = clients.find(name => name !== EVERY_OTHER && !/^\d{12}:/.test(name))
  if (nobody === undefined) return []
  return [
    `clients["${nobody}"]: with auth "iam" a client is named by account and role, such as ` +
      `"123456789012:assumed-role/${nobody}", so that this entry is about nobody.`,
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
