import { startFunctionUrl } from '../../infra/local/function-url.ts'
import { runPass } from '../../infra/local/routes/fleet-routes.ts'
import { composeGateway } from '../../lambdas/compose/gateway.ts'
import { composeProbe, type ProbeReport } from '../../lambdas/compose/probe.ts'
import { environmentKeys } from '../../lambdas/keys/environment-keys.ts'
import { signedProviders } from '../../lambdas/keys/signed-providers.ts'
import { readEnvironment } from '../../lambdas/config/environment.ts'
import type { KeySource } from '../../lambdas/keys/key-source.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { resolveGateway } from '../../lambdas/config/resolve-gateway.ts'
import type { LogEvent } from '../../lambdas/core/log-event.ts'
import type { RequestCompleted } from '../../lambdas/core/request-completed.ts'
import type { Clock } from '../../lambdas/platform/clock.ts'
import type { FleetStore } from '../../lambdas/store/fleet-store.ts'
import { createMemoryStore, type MemoryStore } from './tables/memory-store.ts'
import { createVirtualClock, type VirtualClock } from './clocks/virtual-clock.ts'

export type TestGateway = AsyncDisposable & {
  /** Without `/v1`. */
  readonly url: string
  /** Every structured line, in order. */
  readonly lines: readonly LogEvent[]
  /** The `request-completed` lines among them. */
  readonly completed: readonly RequestCompleted[]
  /** Runs a probe pass, by default whatever is due. */
  probe(force?: boolean): Promise<ProbeReport>
  /** What the handler threw; empty in every test that is not about that. */
  readonly handlerErrors: readonly unknown[]
  /** Every handler has returned: what it writes behind its last byte is written. */
  settled(): Promise<void>
  close(): Promise<void>
}

const isCompleted = (line: LogEvent): line is RequestCompleted => line.event === 'request-completed'

/** What the gateways of a fleet share. */
export type World = { clock: VirtualClock; store: MemoryStore }

/** An empty table, and time that passes only where somebody waits. */
export function createWorld(clock = createVirtualClock()): World {
  return { clock, store: createMemoryStore(clock) }
}

/** By default a world of its own. */
type Surroundings = { clock?: Clock; store?: FleetStore; keys?: KeySource }

/** The whole gateway on a free loopback port, with this configuration and these environment variables. */
export async function startGateway(
  configuration: unknown,
  variables: Record<string, string> = {},
  { clock = createVirtualClock(), store = createMemoryStore(clock), keys }: Surroundings = {},
): Promise<TestGateway> {
  const config = parseGatewayConfig(configuration)
  const lines: LogEvent[] = []
  const handlerErrors: unknown[] = []
  const environment = readEnvironment(resolveGateway(config).providers.keys(), variables)
  const composition = {
    config,
    environment,
    keys:
      keys ?? environmentKeys({ ...environment, signed: signedProviders(environment.aws, config.providers) }),
    store,
    clock,
    log: (line: LogEvent) => void lines.push(line),
  }
  const gateway = composeGateway(composition)
  const probe = composeProbe(composition)
  const running = new Set<Promise<void>>()
  const handler: typeof gateway.handler = (...invocation) => {
    const returned = gateway.handler(...invocation)
    const over = returned.catch(() => undefined).finally(() => void running.delete(over))
    running.add(over)
    return returned
  }
  const server = await startFunctionUrl({
    handler,
    port: 0,
    keyed: environment.clientKeys.length > 0,
    onHandlerError: error => void handlerErrors.push(error),
  })
  async function close(): Promise<void> {
    await server.close(0)
    gateway.close()
    probe.close()
  }
  return {
    url: server.url,
    lines,
    handlerErrors,
    probe: (force = true) => runPass(probe, { force }),
    get completed() {
      return lines.filter(isCompleted)
    },
    async settled() {
      await Promise.all(running)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A configuration of keyless providers at these base URLs, and the tiers of one alias `chat`. */
export function configOf(
  baseUrls: Record<string, string>,
  tiers: readonly (readonly (string | object)[])[],
  settings: Record<string, unknown> = {},
) {
  const providers = Object.fromEntries(
    Object.entries(baseUrls).map(([id, baseUrl]) => [id, { baseUrl, key: false }]),
  )
  return { providers, models: { chat: { tiers } }, settings }
}
