import { regionOfHost } from '../core/aws-region.ts'
import { splitReference } from './endpoint-reference.ts'
import type { GatewayConfig, ProviderConfig } from './gateway-config.ts'
import { entriesOfAll, referenceOf } from './tiers-of.ts'

/** A model of Amazon Bedrock that a configuration leads to. */
export type BedrockModel = {
  id: string
  /** The region that the configuration names; null = the one of the function. */
  region: string | null
}

/** What the functions must be allowed to invoke, and where; also at providers that are like Bedrock, such as second regions. */
export function bedrockModels(config: GatewayConfig): readonly BedrockModel[] {
  const providers: Readonly<Record<string, ProviderConfig>> = config.providers ?? {}
  const found = entriesOfAll(config).flatMap((entry): BedrockModel[] => {
    const parts = splitReference(referenceOf(entry))
    if (parts === null) return []
    const { like = parts.provider, baseUrl } = providers[parts.provider] ?? {}
    if (like !== 'bedrock') return []
    return [
      { id: parts.model, region: baseUrl === undefined ? null : regionOfHost(new URL(baseUrl).hostname) },
    ]
  })
  return [...new Map(found.map(model => [`${model.region}/${model.id}`, model])).values()]
}
