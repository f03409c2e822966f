import { GatewayError } from '../../core/routing/gateway-error.ts'
import type { Plan } from '../../core/routing/plan.ts'
import type { ResponseMemory, StateHolder } from '../memory/sessions/response-memory.ts'
import type { Run } from './run.ts'

/**
 * Leads a request that goes on from an earlier answer to the endpoint that holds its state, and to that one alone. An
 * answer that nobody remembers may be known to any endpoint that remembers answers.
 * @throws GatewayError where that endpoint is no part of the chain any more
 */
export async function pinRun(
  run: Run,
  responses: Pick<ResponseMemory, 'holderOf'>,
): Promise<{ run: Run; holder: StateHolder | null }> {
  const { request, chain } = run
  const follows = request.nativeCall?.follows ?? null
  const holder = follows === null ? null : await responses.holderOf(request.caller, follows)
  if (!holder) return { run, holder }
  const tiers = chain.tiers.map(tier => tier.filter(({ id }) => id === holder.endpoint))
  if (tiers.flat().length > 0) return { run: { ...run, chain: { ...chain, tiers } }, holder }
  throw new GatewayError(
    'no_capable_endpoint',
    `The endpoint that holds the state of '${follows}' is no part of '${chain.alias}'. Send the whole conversation instead, with "store": false.`,
    'previous_response_id',
  )
}

/** The plan with the key alone under which the state is held; as it is where that key is gone. */
export function pinKey(plan: Plan, holder: StateHolder | null): Plan {
  const key = holder?.key ?? null
  if (key === null) return plan
  const candidates = plan.candidates.map(candidate =>
    candidate.keys.includes(key) ? { ...candidate, keys: [key] } : candidate,
  )
  return { ...plan, candidates }
}
