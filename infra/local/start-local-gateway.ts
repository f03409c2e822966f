import { composeGateway } from '../../lambdas/compose-gateway.ts'
import { readEnvironment } from '../../lambdas/config/environment.ts'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { resolveGateway } from '../../lambdas/config/resolve-gateway.ts'
import { addDemonstrations } from './demonstration.ts'
import { startFunctionUrl } from './function-url.ts'
import { type RequestMemory, requestRoute } from './request-memory.ts'
import { simulateUnkeyed } from './simulate-unkeyed.ts'
import { startSimulatedProviders } from './simulated-providers.ts'
import type { StartupFacts } from './startup-banner.ts'

export type LocalGatewayOptions = {
  config: GatewayConfig
  /** Environment variables: keys and settings. */
  variables: Readonly<Record<string, string | undefined>>
  /** 0 picks a free one. */
  port: number
  memory: RequestMemory
  log: (line: object) => void
  onHandlerError: (error: unknown) => void
  /** Scales the waiting times of simulated providers. */
  pace?: number
}

/** A gateway on loopback, and what there is to say about it. */
export type LocalGateway = { facts: StartupFacts; close(graceMs?: number): Promise<void> }

/** Runs the gateway on loopback; providers without the key they need are simulated. */
export async function startLocalGateway(options: LocalGatewayOptions): Promise<LocalGateway> {
  const environment = readEnvironment(resolveGateway(options.config).providers.keys(), options.variables)
  const simulation = await startSimulatedProviders({ pace: options.pace ?? 1 })
  try {
    const { baseUrlOf } = simulation
    const { simulated, ...unkeyed } = simulateUnkeyed(options.config, environment.providerKeys, baseUrlOf)
    const demonstration =
      simulated.length > 0
        ? addDemonstrations(unkeyed.config, baseUrlOf)
        : { config: unkeyed.config, added: [] }
    const { config } = demonstration
    const { chains, warnings } = resolveGateway(config)
    const gateway = composeGateway({
      config,
      environment: { ...environment, providerKeys: unkeyed.providerKeys },
      log: options.log,
    })
    const server = await startFunctionUrl({
      handler: gateway.handler,
      port: options.port,
      routes: [requestRoute(options.memory)],
      onHandlerError: options.onHandlerError,
    })
    return {
      facts: {
        url: server.url,
        chains: [...chains.values()],
        simulated,
        demonstrations: demonstration.added,
        keyed: new Set(environment.providerKeys.keys()),
        clientKeysSet: environment.clientKeys.length > 0,
        warnings: [...environment.warnings, ...warnings],
      },
      async close(graceMs) {
        await server.close(graceMs)
        gateway.close()
        await simulation.close()
      },
    }
  } catch (error) {
    await simulation.close()
    throw error
  }
}
