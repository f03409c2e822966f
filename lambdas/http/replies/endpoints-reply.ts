import type { Caller } from '../../core/caller.ts'
import type { Chain } from '../../core/endpoint.ts'
import type { Plan } from '../../core/routing/plan.ts'
import type { ModelView } from '../../core/routing/view/model-view.ts'
import type { FleetMemory } from '../../engine/memory/fleet-memory.ts'
import { orderRows } from './order-rows.ts'
import { jsonReply, type Reply } from './reply.ts'
import { modeHeader } from './response-headers.ts'

export type EndpointsTools = {
  memory: Pick<FleetMemory, 'describe' | 'snapshot'>
  /** The likely plan of a usual request. Throws `GatewayError` where there is no such alias for this caller. */
  orderOf(alias: string, caller: Caller): Promise<{ chain: Chain; plan: Plan; view: ModelView }>
  /** Each model of this caller, and whether it answers now. */
  modelsOf(caller: Caller): Promise<readonly ModelView[]>
}

/**
 * `GET /v1/endpoints`: which models answer now, and what the fleet remembers of each endpoint; with `?model=`, of one
 * alias, in the order in which its endpoints would be called. Where the table
 * is away it tells what is known, because that is what requests go by.
 */
export async function endpointsReply(
  alias: string | undefined,
  caller: Caller,
  { memory, orderOf, modelsOf }: EndpointsTools,
): Promise<Reply> {
  // Both of one look at the table, however long the counters take.
  const [{ rows, readAt }, { degraded }] = await Promise.all([memory.describe(), memory.snapshot()])
  const mode = degraded ? 'degraded' : 'normal'
  const head = { object: 'list', mode, table_read_at: readAt }
  if (alias === undefined) {
    return jsonReply(200, { ...head, models: await modelsOf(caller), data: rows }, modeHeader(degraded))
  }
  const { chain, plan, view } = await orderOf(alias, caller)
  const { strategy = 'priority' } = chain
  const ordered = { ...head, model: alias, strategy, models: [view], data: orderRows(rows, plan) }
  return jsonReply(200, ordered, modeHeader(degraded))
}
