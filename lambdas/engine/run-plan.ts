import { attemptLimits } from '../core/budget.ts'
import type { Candidate } from '../core/endpoint.ts'
import type { FinalError } from '../core/error-codes.ts'
import type { Failure } from '../core/failure.ts'
import {
  nextStep,
  untried,
  type FailedAttempt,
  type GiveUpReason,
  type Situation,
} from '../core/next-step.ts'
import type { Plan } from '../core/plan.ts'
import type { AttemptRecord } from '../core/trail.ts'
import { finalErrorOf } from '../core/final-error.ts'
import { CLIENT_LEFT, planWhenPossible, type PlanRun, type SnapshotReader } from './plan-when-possible.ts'
import { attempt, type AttemptTools, type CommittedAnswer } from './attempt.ts'

export type PlanTools = AttemptTools &
  SnapshotReader & {
    secretOf(provider: string, key: string): string | undefined
  }

export type PlanResult = { plan: Plan; trail: readonly AttemptRecord[] } & (
  | { kind: 'answered'; candidate: Candidate; answer: CommittedAnswer }
  | { kind: 'failed'; finalError: FinalError }
)

function recordOf(candidate: Candidate, key: string | null, startedAfterMs: number, durationMs: number) {
  const { endpoint, tier } = candidate
  return (failure: Failure | null, status: number | null): AttemptRecord => ({
    endpoint,
    tier,
    key,
    outcome: failure ? (failure.code === 'ABORT_ERR' ? 'client_left' : failure.kind) : 'ok',
    status,
    startedAfterMs,
    durationMs,
    failure,
  })
}

/** Walks the plan, attempt by attempt, as `nextStep` says, until an answer commits or nothing is left to try. */
export async function runPlan(run: PlanRun, tools: PlanTools): Promise<PlanResult> {
  const planned = await planWhenPossible(run, tools)
  if ('finalError' in planned) return { kind: 'failed', trail: [], ...planned }
  const { request, chain, settings, startedAt } = run
  const { clock } = tools
  const { candidates } = planned
  const trail: AttemptRecord[] = []
  const failed: FailedAttempt[] = []
  const elapsed = (): number => clock.now() - startedAt
  const situation = (): Situation => ({
    candidates,
    failed,
    settings,
    elapsedMs: elapsed(),
    random: clock.random(),
    fallback: request.fallback,
  })
  const giveUp = (reason: GiveUpReason): PlanResult => {
    const now = clock.now()
    const finalError = run.client.aborted
      ? CLIENT_LEFT
      : finalErrorOf({ alias: chain.alias, trail, skipped: planned.skipped, reason, now })
    return { kind: 'failed', plan: planned, trail, finalError }
  }

  let next: Pick<FailedAttempt, 'candidate' | 'key' | 'via' | 'waitedMs'> = {
    candidate: 0,
    key: candidates[0]?.keys[0] ?? null,
    via: 'start',
    waitedMs: 0,
  }
  for (;;) {
    const candidate = candidates[next.candidate]
    if (!candidate) return giveUp('exhausted')
    const beganAfterMs = elapsed()
    const attemptsAfter = settings.retry_max_attempts - trail.length - 1
    const waiting = Math.max(0, Math.min(untried(situation(), next.candidate).length, attemptsAfter))
    const result = await attempt(
      {
        endpoint: candidate.endpoint,
        secret: next.key === null ? null : (tools.secretOf(candidate.endpoint.provider, next.key) ?? null),
        body: request.body,
        hold: !request.stream || request.buffer || chain.buffer,
        limits: attemptLimits({
          endpoint: candidate.endpoint,
          settings,
          elapsedMs: beganAfterMs,
          remainingMs: run.endsAt - clock.now(),
          waiting,
        }),
        client: run.client,
      },
      tools,
    )
    const record = recordOf(candidate, next.key, beganAfterMs, elapsed() - beganAfterMs)
    if (result.kind === 'committed') {
      trail.push(record(null, result.answer.status))
      return { kind: 'answered', plan: planned, trail, candidate, answer: result.answer }
    }
    const { failure, outputStarted } = result
    trail.push(record(failure, failure.status))
    failed.push({ ...next, failure, outputStarted })

    const step = nextStep(situation())
    if (step.kind === 'give_up') return giveUp(step.reason)
    if (step.kind === 'retry') await clock.sleep(step.waitMs, run.client)
    if (run.client.aborted) return giveUp('exhausted')
    next = {
      candidate: step.candidate,
      key: 'key' in step ? step.key : (candidates[step.candidate]?.keys[0] ?? null),
      via: step.kind,
      waitedMs: step.kind === 'retry' ? step.waitMs : 0,
    }
  }
}
