import { STRATEGIES } from '../core/strategies.ts'
import type { GatewayConfig, ModelConfig } from './gateway-config.ts'

/** What a valid configuration says and the gateway does not do, in words for its owner. */
export function configWarnings({ models }: GatewayConfig): readonly string[] {
  const aliases = Object.entries(models)
  return [
    ...(aliases.length === 0
      ? ['No models are configured: every chat request will be answered with 404.']
      : []),
    ...aliases.flatMap(([alias, { strategy }]) => strategyWarning(alias, strategy)),
  ]
}

function strategyWarning(alias: string, strategy: ModelConfig['strategy']): string[] {
  if (strategy === undefined || STRATEGIES[strategy]) return []
  return [
    `models["${alias}"]: the strategy "${strategy}" is not implemented yet and is ignored; ` +
      'replicas are tried in the order listed.',
  ]
}
