import { createPage, type Page } from '../page/page-routes.ts'
import { systemClock, type Clock } from '../../lambdas/platform/clock.ts'
import { REQUEST_HEADERS } from '../../lambdas/contract.ts'
import type { Endpoint } from '../../lambdas/core/endpoint.ts'
import type { Settings } from '../../lambdas/core/settings/settings.ts'
import { createMemoryTools } from '../../lambdas/engine/memory/memory-tools.ts'
import type { ComposedProbe } from '../../lambdas/compose/probe.ts'
import { runPass } from './routes/fleet-routes.ts'
import type { RequestMemory } from './request-memory.ts'
import type { LocalFleet } from './table/local-fleet.ts'

export type LocalPageOptions = {
  /** Where this gateway listens, as soon as it does. */
  url(): string
  clientKeys: readonly string[]
  fleet: Pick<LocalFleet, 'patientStore' | 'embedded' | 'endpoint'>
  endpoints: readonly Endpoint[]
  settings: Settings
  probe: ComposedProbe
  memory: RequestMemory
  clock?: Clock
}

const LOOK_MS = 10_000

/** The page about the gateway of this process. */
export function createLocalPage(options: LocalPageOptions): Page {
  const { fleet, endpoints, settings, clientKeys, clock = systemClock } = options
  const [clientKey] = clientKeys
  const tools = createMemoryTools({
    store: fleet.patientStore,
    clock,
    endpoints,
    keys: () => new Map(),
    settings,
    // The gateway meets the same errors, and logs them.
    log: () => undefined,
  })
  return createPage(
    {
      facts: () => ({
        baseUrl: `${options.url()}/v1`,
        stack: null,
        fleetWords: '',
        memory: fleet.embedded ? 'memory in this process' : `memory at ${fleet.endpoint}`,
        curlOptions: clientKey === undefined ? [] : ['-H "authorization: Bearer $BACKSTOP_CLIENT_KEY"'],
        requestsNote: null,
      }),
      call(path, init = {}) {
        const headers = new Headers(init.headers)
        if (clientKey !== undefined) headers.set(REQUEST_HEADERS.apiKey, clientKey)
        return fetch(options.url() + path, { ...init, headers })
      },
      store: fleet.patientStore,
      async tools() {
        await tools.view.current(LOOK_MS)
        const { readAt } = tools.view
        if (readAt === null || clock.now() - readAt > LOOK_MS) throw new Error('it does not answer')
        return tools
      },
      probe: async event => (await runPass(options.probe, event)).probes,
      find: async requestId => options.memory.find(requestId) ?? null,
      readEveryMs: {
        models: { idleMs: 5_000, newsMs: 1_000 },
        table: { idleMs: 30_000, newsMs: 5_000 },
      },
    },
    { guarded: clientKey !== undefined, clock },
  )
}
