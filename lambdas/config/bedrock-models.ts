import { regionOfHost } from '../core/aws-region.ts'
import { splitReference } from './endpoint-reference.ts'
import type { GatewayConfig } from './gateway-config.ts'
import { entriesOfAll, referenceOf } from './tiers-of.ts'

/** The models of Amazon Bedrock that a configuration leads to. */
export type BedrockModels = {
  models: readonly string[]
  /** The region that the configuration names; null = the one of the function. */
  region: string | null
}

/** What the functions must be allowed to invoke, and where. */
export function bedrockModels(config: GatewayConfig): BedrockModels {
  const { providers = {} } = config
  const references = entriesOfAll(config).map(entry => splitReference(referenceOf(entry)))
  const named = references.flatMap(found => (found?.provider === 'bedrock' ? [found.model] : []))
  const { baseUrl } = providers['bedrock'] ?? {}
  return {
    models: [...new Set(named)],
    region: baseUrl === undefined ? null : regionOfHost(new URL(baseUrl).hostname),
  }
}
