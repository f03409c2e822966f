import { attemptLimits } from '../../core/routing/budget.ts'
import type { Candidate } from '../../core/endpoint.ts'
import type { FinalError } from '../../core/routing/error-codes.ts'
import type { Failure } from '../../core/failures/failure.ts'
import { estimateOutputTokens, mostOutputTokens } from '../../core/tokens/estimate-output-tokens.ts'
import { finalErrorOf } from '../../core/routing/final-error.ts'
import type { KeyAdvice } from '../../core/routing/key-advice.ts'
import {
  nextStep,
  untried,
  type FailedAttempt,
  type GiveUpReason,
  type Situation,
  type Step,
} from '../../core/routing/next-step.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan, Skipped } from '../../core/routing/plan.ts'
import { failedTokens, retryBudget, spentOnRetries, type RetryLimit } from '../../core/tokens/retry-tokens.ts'
import { isSentOnce } from '../../core/routing/tool-round.ts'
import type { AttemptRecord } from '../../core/routing/trail.ts'
import { vetoedError } from '../../core/routing/vetoed-error.ts'
import { whenNothingLeft } from '../../core/routing/when-nothing-left.ts'
import { createAdaptations } from './adaptations.ts'
import { attempt, type AttemptTools, type CommittedAnswer, type Received } from './attempt.ts'
import type { FleetMemory, NotedAttempt } from '../memory/fleet-memory.ts'
import { CLIENT_LEFT, planWhenPossible, type PlanRun } from './plan-when-possible.ts'
import type { SessionMemory } from '../memory/session-memory.ts'
import { stillAvailable } from './still-available.ts'

export type PlanTools = AttemptTools & {
  memory: FleetMemory
  sessions: Pick<SessionMemory, 'finishedHeader'>
  /** What to do where no provider has a key. */
  keyAdvice: KeyAdvice
  secretOf(provider: string, key: string): string | undefined
}

export type PlanResult = {
  plan: Plan
  trail: readonly AttemptRecord[]
  retryLimit: RetryLimit
  /** What attempts have cost that failed after the first one had. */
  retryTokens: number
} & (
  | { kind: 'answered'; candidate: Candidate; answer: CommittedAnswer; noted: NotedAttempt }
  | { kind: 'failed'; finalError: FinalError }
)

type Next = Pick<FailedAttempt, 'candidate' | 'key' | 'via' | 'waitedMs'>

/** What came before a failure, in tokens; an estimate may exceed the limit that was asked for, and no answer does. */
function tokensOf({ usage, parts }: Received, body: JsonObject) {
  const estimated = parts.reduce((sum, { json }) => sum + estimateOutputTokens(json), 0)
  return { usage, outputTokens: Math.min(estimated, mostOutputTokens(body)) }
}

const outcomeOf = (failure: Failure | null): AttemptRecord['outcome'] =>
  failure === null ? 'ok' : failure.code === 'ABORT_ERR' ? 'client_left' : failure.kind

/** What a step leads to; the key of a candidate that was not asked yet is found when it is. */
const nextOf = (step: Exclude<Step, { kind: 'give_up' }>): Next => ({
  candidate: step.candidate,
  key: 'key' in step ? step.key : null,
  via: step.kind,
  waitedMs: step.kind === 'retry' ? step.waitMs : 0,
})

/** Walks the plan, attempt by attempt, as `nextStep` says, until an answer commits or nothing is left to try. */
export async function runPlan(run: PlanRun, tools: PlanTools): Promise<PlanResult> {
  const { request, chain, settings, startedAt } = run
  const { promptTokens } = request
  const budget = retryBudget(settings.retry_token_budget, promptTokens, request.retryTokenBudget)
  const retryLimit: RetryLimit = { promptTokens, budget }
  const sentOnce = isSentOnce(request.toolRound, settings)
  // The session is read while the plan is made.
  const reading = tools.sessions.finishedHeader(request.toolRound)
  const planned = await planWhenPossible(run, tools)
  if ('finalError' in planned) return { kind: 'failed', trail: [], retryLimit, retryTokens: 0, ...planned }
  const headers = await reading
  const { clock, memory, keyAdvice } = tools
  const { candidates } = planned
  const skipped: Skipped[] = [...planned.skipped]
  const plan: Plan = { ...planned, skipped }
  const trail: AttemptRecord[] = []
  const failed: FailedAttempt[] = []
  const dropped = new Set<number>()
  const adaptations = createAdaptations(request, memory)
  const elapsed = (): number => clock.now() - startedAt
  const situation = (): Situation => ({
    candidates,
    failed,
    settings,
    elapsedMs: elapsed(),
    random: clock.random(),
    fallback: request.fallback,
    dropped,
    retryLimit,
    sentOnce,
  })
  const soFar = () => ({ plan, trail, retryLimit, retryTokens: spentOnRetries(failed) })

  function giveUp(ended: GiveUpReason): PlanResult {
    // However such a chain ends, the client must hear what would have allowed another try, and no SDK repeat it.
    const reason = sentOnce && trail.length > 0 && ended !== 'request_fault' ? 'tool_round' : ended
    const ending = { alias: chain.alias, skipped, now: clock.now() }
    const walked = { kind: 'failed', ...soFar() } as const
    if (run.client.aborted) return { ...walked, finalError: CLIENT_LEFT }
    if (reason === 'tool_round' || reason === 'retry_tokens') {
      const spent = walked.retryTokens
      return { ...walked, finalError: vetoedError({ ...ending, trail, reason, retryLimit, spent }) }
    }
    if (trail.length > 0) return { ...walked, finalError: finalErrorOf({ ...ending, trail, reason }) }
    // Everything planned went away before it could be asked, and there is no time left to wait.
    const left = whenNothingLeft({ ...ending, patienceMs: -1, whenAllQuarantined: 'reject', keyAdvice })
    const finalError = left.kind === 'reject' ? left.finalError : finalErrorOf({ ...ending, trail, reason })
    return { ...walked, finalError }
  }

  async function ask(candidate: Candidate, next: Next) {
    const { tier } = candidate
    const endpoint = adaptations.endpointOf(next.candidate, candidate)
    const beganAt = clock.now()
    const noted: NotedAttempt = { endpoint, key: next.key, requestId: request.id, startedAt: beganAt }
    const attemptsAfter = settings.retry_max_attempts - trail.length - 1
    const others = sentOnce ? 0 : untried(situation(), next.candidate).length
    const waiting = Math.max(0, Math.min(others, attemptsAfter))
    const result = await attempt(
      {
        endpoint,
        secret: next.key === null ? null : (tools.secretOf(endpoint.provider, next.key) ?? null),
        body: request.body,
        headers,
        sentOnce,
        hold: !request.stream || request.buffer || chain.buffer,
        limits: attemptLimits({
          endpoint,
          settings,
          elapsedMs: beganAt - startedAt,
          remainingMs: run.endsAt - beganAt,
          waiting,
        }),
        client: run.client,
      },
      tools,
    )
    const failure = result.kind === 'failed' ? result.failure : null
    trail.push({
      endpoint,
      tier,
      key: next.key,
      outcome: outcomeOf(failure),
      status: result.kind === 'failed' ? result.failure.status : result.answer.status,
      startedAfterMs: beganAt - startedAt,
      durationMs: clock.now() - beganAt,
      failure,
    })
    return { result, noted }
  }

  for (let next: Next = { candidate: 0, key: null, via: 'start', waitedMs: 0 }; ;) {
    const candidate = candidates[next.candidate]
    if (!candidate) return giveUp('exhausted')
    if (next.via !== 'rotate' && next.via !== 'adapt') {
      const available = await stillAvailable(candidate, next.via, tools)
      if ('barred' in available) {
        dropped.add(next.candidate)
        skipped.push({ endpoint: candidate.endpoint, tier: candidate.tier, ...available.barred })
        const [other] = untried(situation(), next.candidate)
        if (other === undefined) return giveUp('exhausted')
        next = {
          ...next,
          candidate: other,
          key: null,
          via: next.via === 'fail_over' ? 'fail_over' : 'degrade',
        }
        continue
      }
      if (next.via !== 'retry') next = { ...next, key: available.keys[0] ?? null }
    }

    const { result, noted } = await ask(candidate, next)
    if (result.kind === 'committed') {
      memory.committed(noted)
      return { kind: 'answered', ...soFar(), candidate, answer: result.answer, noted }
    }
    memory.failed(noted, result.failure)
    const { failure, outputStarted, received } = result
    const cost = { status: failure.status, ...tokensOf(received, request.body) }
    const tokens = failedTokens(cost, promptTokens)
    const adaptable = adaptations.learn(next.candidate, noted.endpoint, failure)
    failed.push({ ...next, failure, outputStarted, tokens, adaptable })

    const step = nextStep(situation())
    if (step.kind === 'give_up') return giveUp(step.reason)
    if (step.kind === 'retry') await clock.sleep(step.waitMs, run.client)
    if (run.client.aborted) return giveUp('exhausted')
    next = nextOf(step)
  }
}
