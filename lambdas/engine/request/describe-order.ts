import type { Caller } from '../../core/caller.ts'
import type { Chain } from '../../core/endpoint.ts'
import { likelyPlan, type Plan } from '../../core/routing/plan.ts'
import { modelNotAllowed, unknownModel } from '../../core/routing/unknown-model.ts'
import { modelView, type ModelView } from '../../core/routing/view/model-view.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FleetMemory } from '../memory/fleet-memory.ts'
import type { Chains } from './run.ts'

export type OrderTools = {
  chains: Chains
  memory: Pick<FleetMemory, 'snapshot'>
  clock: Pick<Clock, 'now'>
}

/**
 * The order in which a usual request for an alias would be sent to its endpoints now, without chance.
 * @throws GatewayError where there is no such alias, or none for this caller.
 */
export async function describeOrder(
  alias: string,
  caller: Caller,
  { chains, memory, clock }: OrderTools,
): Promise<{ chain: Chain; plan: Plan; view: ModelView }> {
  const snapshot = await memory.snapshot()
  const chain = chains.find(alias, snapshot.settings)
  if (!chain) throw unknownModel(alias, chains.closest(alias, caller))
  if (!chains.mayUse(caller, chain)) throw modelNotAllowed(alias, caller.name, chains.aliasesFor(caller))
  const now = clock.now()
  return { chain, plan: likelyPlan(chain, snapshot, now), view: modelView(chain, snapshot, now) }
}

/** Each model that a caller may use, and whether it answers now, in the order of the configuration. */
export async function describeModels(
  caller: Caller,
  { chains, memory, clock }: OrderTools,
): Promise<readonly ModelView[]> {
  const snapshot = await memory.snapshot()
  const now = clock.now()
  return chains.aliasesFor(caller).flatMap(alias => {
    const chain = chains.find(alias, snapshot.settings)
    return chain ? [modelView(chain, snapshot, now)] : []
  })
}
