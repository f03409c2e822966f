import type { GatewayConfig, ModelConfig, ProviderConfig } from '../../../lambdas/config/gateway-config.ts'
import { DEMONSTRATION_PROVIDER } from './scenarios.ts'

const DEAD_HOST = 'simulated-dead-host'
// A port for which no program is made: connections to it are refused.
const CLOSED_PORT_URL = 'http://127.0.0.1:1/v1'

/** Aliases that each show one thing that goes wrong, and what catches it. */
const DEMONSTRATIONS: Readonly<Record<string, ModelConfig<string>>> = {
  'demo-rate-limited': { tiers: [['simulated/rate-limited'], ['simulated/well']] },
  'demo-over-capacity': { tiers: [['simulated/over-capacity', 'simulated/well']] },
  'demo-dead-host': { tiers: [[`${DEAD_HOST}/any`], ['simulated/well']] },
  'demo-silent': {
    tiers: [[{ endpoint: 'simulated/silent', firstOutputTimeoutMs: 1_500 }], ['simulated/well']],
  },
  'demo-slow': { tiers: [['simulated/slow']] },
  'demo-cut': { tiers: [['simulated/cut'], ['simulated/well']] },
  'demo-embeddings': {
    kind: 'embeddings',
    tiers: [['simulated/vectors-over-capacity', 'simulated/vectors']],
  },
  'demo-all-down': { tiers: [['simulated/rate-limited'], ['simulated/over-capacity'], [`${DEAD_HOST}/any`]] },
}

/** A configuration with demonstrations added, and which they are. */
export type Demonstration = { config: GatewayConfig; added: readonly string[] }

/** Adds the demonstrations after the owner's aliases; what the owner has named is left as it is. */
export function addDemonstrations(
  config: GatewayConfig,
  baseUrlOf: (provider: string) => string,
): Demonstration {
  const taken: Readonly<Record<string, ProviderConfig>> = config.providers ?? {}
  if (DEMONSTRATION_PROVIDER in taken || DEAD_HOST in taken) return { config, added: [] }
  const added = Object.entries(DEMONSTRATIONS).filter(([alias]) => !(alias in config.models))
  const providers = {
    ...taken,
    [DEMONSTRATION_PROVIDER]: { baseUrl: baseUrlOf(DEMONSTRATION_PROVIDER), key: false },
    [DEAD_HOST]: { baseUrl: CLOSED_PORT_URL, key: false },
  } satisfies Record<string, ProviderConfig>
  return {
    config: { ...config, providers, models: { ...config.models, ...Object.fromEntries(added) } },
    added: added.map(([alias]) => alias),
  }
}
