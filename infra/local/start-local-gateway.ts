import type { Log, LogEvent } from '../../lambdas/core/log-event.ts'
import { composeGateway } from '../../lambdas/compose/gateway.ts'
import { composeProbe } from '../../lambdas/compose/probe.ts'
import { endpointsOf } from '../../lambdas/config/endpoints-of.ts'
import { environmentKeys } from '../../lambdas/keys/environment-keys.ts'
import { readEnvironment } from '../../lambdas/config/environment.ts'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { resolveGateway } from '../../lambdas/config/resolve-gateway.ts'
import { effectiveSettings } from '../../lambdas/core/settings/effective-settings.ts'
import { DEFAULT_SETTINGS } from '../../lambdas/core/settings/settings.ts'
import type { FleetStore } from '../../lambdas/store/fleet-store.ts'
import { signedProviders } from '../../lambdas/keys/signed-providers.ts'
import { systemClock, type Clock } from '../../lambdas/platform/clock.ts'
import { addDemonstrations } from './simulated/demonstration.ts'
import { probeRoute, runPass, stateRoute, tableRoute } from './routes/fleet-routes.ts'
import { startFunctionUrl } from './function-url.ts'
import { behindClientKey } from './routes/client-key-guard.ts'
import { createLocalPage } from './local-page.ts'
import { LOOPBACK, assertUsableClientKeys, listeningHost, networkUrls } from './listening-host.ts'
import { openLocalFleet } from './table/local-fleet.ts'
import type { RequestMemory } from './request-memory.ts'
import { requestListRoute, requestRoute } from './routes/request-routes.ts'
import { startScheduler } from './scheduler.ts'
import { simulateUnkeyed } from './simulated/simulate-unkeyed.ts'
import { startSimulatedProviders } from './simulated/simulated-providers.ts'
import type { StartupFacts } from './startup-banner.ts'
import type { Page } from '../page/page-routes.ts'

export type LocalGatewayOptions = {
  config: GatewayConfig
  /** Environment variables: keys and settings. */
  variables: Readonly<Record<string, string | undefined>>
  /** 0 picks a free one. */
  port: number
  /** 127.0.0.1, where none is given. */
  host?: string
  memory: RequestMemory
  log: Log
  onHandlerError: (error: unknown) => void
  /** Scales the waiting times of simulated providers. */
  pace?: number
  /** The machine's, where none is given. */
  clock?: Clock
  /** Whether the embedded table has a thread of its own. */
  tableInThread?: boolean
}

// Finer than in AWS, where a minute is the finest schedule: what is due is probed when status says so.
const PROBE_EVERY_MS = 15_000

/** A gateway on this machine, and what there is to say about it. */
export type LocalGateway = { facts: StartupFacts; close(graceMs?: number): Promise<void> }

/** Runs the gateway on this machine; providers without the key they need are simulated. */
export async function startLocalGateway(options: LocalGatewayOptions): Promise<LocalGateway> {
  const { clock = systemClock } = options
  const environment = readEnvironment(resolveGateway(options.config).providers.keys(), options.variables)
  assertUsableClientKeys(options.variables)
  const host = listeningHost(options.host ?? LOOPBACK, environment.clientKeys.length > 0)
  const simulation = await startSimulatedProviders({ pace: options.pace ?? 1 })
  const fleet = await openLocalFleet(options.variables, {
    clock,
    inThread: options.tableInThread ?? false,
  }).catch(async error => {
    await simulation.close()
    throw error
  })
  try {
    const { baseUrlOf } = simulation
    const signed = signedProviders(environment.aws, options.config.providers)
    const { providerKeys: keys } = environment
    const { simulated, ...unkeyed } = simulateUnkeyed(options.config, keys, baseUrlOf, signed)
    const demonstration =
      simulated.length > 0
        ? addDemonstrations(unkeyed.config, baseUrlOf)
        : { config: unkeyed.config, added: [] }
    const { config } = demonstration
    const resolved = resolveGateway(config, environment.settings)
    const { chains, settings } = resolved
    const warnings = [...environment.warnings, ...resolved.warnings]
    const endpoints = endpointsOf(resolved)
    // Composed last, of what it watches.
    const late: { page?: Page; url: string } = { url: '' }
    const composition = {
      config,
      environment,
      keys: environmentKeys({ ...environment, providerKeys: unkeyed.providerKeys, signed }),
      store: fleet.store,
      clock,
      log: (line: LogEvent) => {
        options.log(line)
        if (line.event === 'request-completed' || line.event === 'request-rejected')
          late.page?.note(line, clock.now())
      },
    }
    // Here nobody pays for a write, and who has just asked wants to see it counted.
    const gateway = composeGateway({ ...composition, runsOn: true })
    const probe = composeProbe(composition)
    const ignoredOverrides = fleet.embedded ? [] : await overrideWarnings(fleet.store)
    const page = createLocalPage({
      url: () => late.url,
      clientKeys: environment.clientKeys,
      fleet,
      endpoints,
      settings,
      probe,
      memory: options.memory,
      clock,
    })
    late.page = page
    const server = await startFunctionUrl({
      handler: gateway.handler,
      port: options.port,
      host,
      keyed: environment.clientKeys.length > 0,
      routes: [
        page.route,
        behindClientKey(environment.clientKeys, [
          requestRoute(options.memory),
          requestListRoute(options.memory),
          probeRoute(probe),
          stateRoute(fleet.readTable),
          tableRoute({ endpoint: fleet.endpoint, table: fleet.table, settings, endpoints, warnings }),
        ]),
      ],
      onHandlerError: options.onHandlerError,
    })
    late.url = server.url
    const stopProbing = startScheduler(
      PROBE_EVERY_MS,
      () => runPass(probe).catch(options.onHandlerError),
      clock,
    )
    return {
      facts: {
        url: server.url,
        pageUrl: server.url + page.path,
        networkUrls: networkUrls(host, server.port),
        chains: [...chains.values()],
        simulated,
        demonstrations: demonstration.added,
        keyed: new Set([...keys.keys(), ...signed]),
        clientKeysSet: environment.clientKeys.length > 0,
        memoryAt: fleet.embedded ? null : fleet.endpoint,
        notices: environment.notices,
        warnings: [...warnings, ...ignoredOverrides],
      },
      async close(graceMs) {
        // An open page would keep its connection for ever.
        page.close()
        await Promise.all([server.close(graceMs), stopProbing()])
        await gateway.close()
        probe.close()
        await fleet.close()
        await simulation.close()
      },
    }
  } catch (error) {
    await fleet.close()
    await simulation.close()
    throw error
  }
}

/** Overrides in a table that other gateways share and that this one ignores. */
async function overrideWarnings(store: FleetStore): Promise<string[]> {
  const item = await store.readStateItem('settings')
  const { ignored } = effectiveSettings(DEFAULT_SETTINGS, item?.kind === 'settings' ? item.overrides : {})
  return ignored.map(
    name =>
      `The override ${name} is ignored: there is no such setting, or the value is out of range. List them with npm run set.`,
  )
}
