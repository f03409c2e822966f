import type { Endpoint, EndpointId } from '../../core/endpoint.ts'
import { deadlineLeftMs } from '../../core/routing/budget.ts'
import type { FinalError } from '../../core/routing/error-codes.ts'
import { firstOnly, planChain, withLastResorts, type Plan } from '../../core/routing/plan.ts'
import { whenNothingLeft } from '../../core/routing/when-nothing-left.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FleetMemory } from '../memory/fleet-memory.ts'
import type { ProbeNow } from '../probes/probe-on-demand.ts'
import { admitFirst, type Admitted } from './admit.ts'
import type { FailedRun } from './run-plan.ts'
import type { Run } from './run.ts'

export const CLIENT_LEFT: FinalError = {
  code: 'client_left',
  message: 'The client closed the connection before an answer began.',
  retryAfterMs: null,
}

/** Quarantined endpoints of a plan that may be probed now, in the order of the chain. */
const probeable = ({ skipped }: Plan, probed: ReadonlySet<EndpointId>, now: number): readonly Endpoint[] =>
  skipped.flatMap(({ endpoint, reason, lastResortAt }) =>
    reason === 'quarantined' && lastResortAt !== undefined && lastResortAt <= now && !probed.has(endpoint.id)
      ? [endpoint]
      : [],
  )

/** A plan with something to call, and what was taken of its quotas; or the reason why there is none. */
export type Planned = { kind: 'planned'; plan: Plan; admitted: Admitted | null } | FailedRun

type PlanTools = {
  memory: Pick<FleetMemory, 'snapshot' | 'quotas'>
  clock: Clock
  probeNow: ProbeNow
}

/**
 * Plans until something can be called. Where nothing can: what only guesses bar, then the probe of what is
 * quarantined, then a wait for the soonest stated return, where that fits the request's patience.
 */
export async function makePlan(
  { request, chain: configured, settings, client, startedAt, ...run }: Run,
  { memory, clock, probeNow }: PlanTools,
  /** What an earlier answer asks of every plan. */
  arrange: (plan: Plan) => Promise<Plan>,
): Promise<Planned> {
  let { snapshot } = run
  const chain = request.fallback ? configured : firstOnly(request, configured, snapshot, clock.random)
  const probed = new Set<EndpointId>()
  for (let waitedMs = 0; ;) {
    const now = clock.now()
    const plan = withLastResorts(planChain(request, chain, snapshot, now, clock.random), now)
    const failed = (finalError: FinalError): FailedRun => ({
      kind: 'failed',
      plan,
      trail: [],
      retryTokens: 0,
      finalError,
    })
    if (plan.candidates.length > 0) {
      const arranged = await arrange(plan)
      const first = await admitFirst(arranged, request, snapshot, memory)
      if ('admitted' in first) return { kind: 'planned', plan: arranged, admitted: first.admitted }
      ;({ snapshot } = first)
      continue
    }
    if (client.aborted) return failed(CLIENT_LEFT)
    const deadlineMs = deadlineLeftMs(settings, now - startedAt)
    const [quarantined] = deadlineMs > 0 ? probeable(plan, probed, now) : []
    if (quarantined) {
      probed.add(quarantined.id)
      const limitMs = Math.min(settings.first_output_timeout_ms, deadlineMs)
      await probeNow(quarantined, { signal: client, limitMs })
      snapshot = await memory.snapshot()
      continue
    }
    const patienceMs = Math.min(settings.retry_total_wait_ms - waitedMs, deadlineMs)
    const next = whenNothingLeft({ alias: chain.alias, skipped: plan.skipped, now, patienceMs })
    if (next.kind === 'reject') return failed(next.finalError)
    const waitMs = Math.max(1, next.waitMs)
    await clock.sleep(waitMs, client)
    waitedMs += waitMs
    snapshot = await memory.snapshot()
  }
}
