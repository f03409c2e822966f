import { endpointsOf } from '../config/endpoints-of.ts'
import type { Environment } from '../config/environment.ts'
import type { GatewayConfig } from '../config/gateway-config.ts'
import { resolveGateway, type Gateway } from '../config/resolve-gateway.ts'
import type { Settings } from '../core/settings/settings.ts'
import type { Log } from '../core/log-event.ts'
import type { Snapshot } from '../core/routing/snapshot.ts'
import { createMemoryTools, type MemoryTools } from '../engine/memory/memory-tools.ts'
import type { Clock } from '../platform/clock.ts'
import type { FleetStore } from '../store/fleet-store.ts'

export type FleetOptions = {
  config: GatewayConfig
  environment: Pick<Environment, 'settings' | 'aws' | 'warnings' | 'proxyFor'>
  /** The fleet's memory. */
  store: FleetStore
  clock: Clock
  /** Takes structured lines. */
  log: Log
  /** Told where the settings stand that are in force, for what was made before them. */
  onSettings?(settings: () => Settings): void
}

/** What every function works with: the resolved configuration, and one instance's access to the fleet's memory. */
export function composeFleet(
  { config, environment, store, clock, log, onSettings }: FleetOptions,
  keys: () => Snapshot['keys'],
): { gateway: Gateway; memory: MemoryTools } {
  const gateway = resolveGateway(config, environment.settings, environment.aws.region)
  const endpoints = endpointsOf(gateway)
  const memory = createMemoryTools({ store, clock, endpoints, keys, settings: gateway.settings, log })
  onSettings?.(memory.settings)
  return { gateway, memory }
}
