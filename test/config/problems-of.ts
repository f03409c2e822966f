import { ConfigError } from '../../lambdas/config/config-error.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'

/** What is wrong with a configuration: the lines of the error's message, without its heading. */
export function problemsOf(config: unknown): string[] {
  try {
    parseGatewayConfig(config)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const [, ...lines] = error.message.split('\n')
    return lines.map(line => line.trim())
  }
}
