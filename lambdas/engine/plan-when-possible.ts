import type { ChatRequest } from '../core/chat-request.ts'
import type { Chain } from '../core/endpoint.ts'
import type { FinalError } from '../core/error-codes.ts'
import { planChain, type Plan } from '../core/plan.ts'
import type { Settings } from '../core/settings.ts'
import type { Snapshot } from '../core/snapshot.ts'
import { whenNothingLeft } from '../core/when-nothing-left.ts'
import type { Clock } from '../platform/clock.ts'

/** What one request brings along. */
export type PlanRun = {
  request: ChatRequest
  chain: Chain
  settings: Settings
  /** Aborts when the client leaves. */
  client: AbortSignal
  startedAt: number
  /** When the platform ends us; epoch milliseconds. */
  endsAt: number
}

export type SnapshotReader = { readSnapshot(): Promise<Snapshot> }

export const CLIENT_LEFT: FinalError = {
  code: 'client_left',
  message: 'The client closed the connection before an answer began.',
  retryAfterMs: null,
}

/** Plans until something can be asked: waits for the soonest return where that fits the request's patience. */
export async function planWhenPossible(
  run: PlanRun,
  tools: SnapshotReader & { clock: Clock },
): Promise<Plan | { plan: Plan; finalError: FinalError }> {
  const { request, chain, settings } = run
  const { clock } = tools
  for (let waitedMs = 0; ;) {
    const now = clock.now()
    const plan = planChain(request, chain, await tools.readSnapshot(), now)
    if (plan.candidates.length > 0) return plan
    if (run.client.aborted) return { plan, finalError: CLIENT_LEFT }
    const patienceMs = settings.retry_total_wait_ms - waitedMs
    const next = whenNothingLeft({ alias: chain.alias, skipped: plan.skipped, now, patienceMs })
    if (next.kind === 'reject') return { plan, finalError: next.finalError }
    const waitMs = Math.max(1, next.waitMs)
    await clock.sleep(waitMs, run.client)
    waitedMs += waitMs
  }
}
