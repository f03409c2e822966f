import { deadlineLeftMs } from '../../core/routing/budget.ts'
import type { FinalError } from '../../core/routing/error-codes.ts'
import { planChain, type Plan, type Skipped } from '../../core/routing/plan.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import { whenNothingLeft } from '../../core/routing/when-nothing-left.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FleetMemory } from '../memory/fleet-memory.ts'
import type { FailedRun } from './run-plan.ts'
import type { Run } from './run.ts'

export const CLIENT_LEFT: FinalError = {
  code: 'client_left',
  message: 'The client closed the connection before an answer began.',
  retryAfterMs: null,
}

/** A plan of one quarantined endpoint, because its owner would rather call it than none. */
function lastResort(plan: Plan, { endpoint, tier }: Skipped, { keys }: Snapshot): Plan {
  const candidate = { endpoint, tier, suspect: true, trial: false, keys: keys.get(endpoint.provider) ?? [] }
  return {
    ...plan,
    candidates: [candidate],
    skipped: plan.skipped.filter(skip => skip.endpoint !== endpoint),
  }
}

/** A plan with something to call, or the reason why there is none. */
export type Planned = { kind: 'planned'; plan: Plan } | FailedRun

/** Plans until something can be called: waits for the soonest return where that fits the request's patience. */
export async function makePlan(
  { request, chain, settings, client, startedAt, ...run }: Run,
  { memory, clock }: { memory: Pick<FleetMemory, 'snapshot'>; clock: Clock },
): Promise<Planned> {
  let { snapshot } = run
  for (let waitedMs = 0; ;) {
    const now = clock.now()
    const plan = planChain(request, chain, snapshot, now)
    const failed = (finalError: FinalError): FailedRun => ({
      kind: 'failed',
      plan,
      trail: [],
      retryTokens: 0,
      finalError,
    })
    if (plan.candidates.length > 0) return { kind: 'planned', plan }
    if (client.aborted) return failed(CLIENT_LEFT)
    const next = whenNothingLeft({
      alias: chain.alias,
      skipped: plan.skipped,
      now,
      patienceMs: Math.min(
        settings.retry_total_wait_ms - waitedMs,
        deadlineLeftMs(settings, now - startedAt),
      ),
      whenAllQuarantined: settings.all_quarantined,
    })
    if (next.kind === 'reject') return failed(next.finalError)
    if (next.kind === 'try') return { kind: 'planned', plan: lastResort(plan, next.skipped, snapshot) }
    const waitMs = Math.max(1, next.waitMs)
    await clock.sleep(waitMs, client)
    waitedMs += waitMs
    snapshot = await memory.snapshot()
  }
}
