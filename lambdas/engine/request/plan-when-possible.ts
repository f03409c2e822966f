import { deadlineLeftMs } from '../../core/routing/budget.ts'
import type { ChatRequest } from '../../core/chat-request.ts'
import type { Chain } from '../../core/endpoint.ts'
import type { FinalError } from '../../core/routing/error-codes.ts'
import type { KeyAdvice } from '../../core/routing/key-advice.ts'
import { planChain, type Plan, type Skipped } from '../../core/routing/plan.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import { whenNothingLeft } from '../../core/routing/when-nothing-left.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FleetMemory } from '../memory/fleet-memory.ts'

/** What one request brings along. */
export type PlanRun = {
  request: ChatRequest
  chain: Chain
  settings: Settings
  /** The picture that the request has waited for, so that its first plan need not wait once more. */
  snapshot: Snapshot
  /** Aborts when the client leaves. */
  client: AbortSignal
  startedAt: number
  /** When the platform ends us; epoch milliseconds. */
  endsAt: number
}

export const CLIENT_LEFT: FinalError = {
  code: 'client_left',
  message: 'The client closed the connection before an answer began.',
  retryAfterMs: null,
}

/** A plan of one quarantined endpoint, because its owner would rather ask it than nobody. */
function lastResort(plan: Plan, { endpoint, tier }: Skipped, { keys }: Snapshot): Plan {
  const candidate = { endpoint, tier, suspect: true, trial: false, keys: keys.get(endpoint.provider) ?? [] }
  return {
    ...plan,
    candidates: [candidate],
    skipped: plan.skipped.filter(skip => skip.endpoint !== endpoint),
  }
}

/** Plans until something can be asked: waits for the soonest return where that fits the request's patience. */
export async function planWhenPossible(
  { request, chain, settings, client, ...run }: PlanRun,
  { memory, clock, keyAdvice }: { memory: FleetMemory; clock: Clock; keyAdvice: KeyAdvice },
): Promise<Plan | { plan: Plan; finalError: FinalError }> {
  let { snapshot } = run
  for (let waitedMs = 0; ;) {
    const now = clock.now()
    const plan = planChain(request, chain, snapshot, now)
    if (plan.candidates.length > 0) return plan
    if (client.aborted) return { plan, finalError: CLIENT_LEFT }
    const next = whenNothingLeft({
      alias: chain.alias,
      skipped: plan.skipped,
      now,
      patienceMs: Math.min(
        settings.retry_total_wait_ms - waitedMs,
        deadlineLeftMs(settings, now - run.startedAt),
      ),
      whenAllQuarantined: settings.all_quarantined,
      keyAdvice,
    })
    if (next.kind === 'reject') return { plan, finalError: next.finalError }
    if (next.kind === 'try') return lastResort(plan, next.skipped, snapshot)
    const waitMs = Math.max(1, next.waitMs)
    await clock.sleep(waitMs, client)
    waitedMs += waitMs
    snapshot = await memory.snapshot()
  }
}
