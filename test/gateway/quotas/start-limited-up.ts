import type { FleetStore } from '../../../lambdas/store/fleet-store.ts'
import { createWorld, startGateway, type World } from '../../support/start-gateway.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { endAfterEach } from '../../fleet/instances/end-after-each.ts'

const open = endAfterEach()

/** No waiting for what comes back within seconds. */
const IMPATIENT = { retry_total_wait_ms: 0, local_cooldown_max_ms: 3_600_000, direct_models: true }

/** Two upstreams, of which the one called `up` has these quotas, and what starts a gateway before them. Ends with its test. */
export async function startUp(
  quotas: object,
  more: {
    tiers?: string[][]
    keyed?: boolean
    endpoint?: object
    /** What the gateways use as their table. */
    storeOf?: (world: World) => FleetStore
  } = {},
) {
  const world = createWorld()
  const up = open(await startUpstream([chatStream(['here'])], { clock: world.clock }))
  const other = open(await startUpstream([chatStream(['there'])], { clock: world.clock }))
  const endpoint = more.endpoint ? [[{ endpoint: 'up/m', ...more.endpoint }]] : [['up/m']]
  const configuration = {
    providers: {
      up: { baseUrl: up.url, quotas, ...(more.keyed ? {} : { key: false }) },
      other: { baseUrl: other.url, key: false },
    },
    models: { chat: { tiers: more.tiers ?? endpoint } },
    settings: IMPATIENT,
  }
  const start = async (variables: Record<string, string> = {}) =>
    open(
      await startGateway(configuration, variables, { ...world, store: more.storeOf?.(world) ?? world.store }),
    )
  return { ...world, up, other, start }
}
