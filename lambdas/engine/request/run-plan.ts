import type { Candidate } from '../../core/endpoint.ts'
import type { FinalError } from '../../core/routing/error-codes.ts'
import {
  allowsAnotherWay,
  nextStep,
  untried,
  type FailedAttempt,
  type GiveUpReason,
  type PlanProgress,
  type Step,
} from '../../core/routing/next-step.ts'
import { decidingLast } from '../../core/routing/hedging/deciding-last.ts'
import type { Plan, Skipped } from '../../core/routing/plan.ts'
import type { AttemptRecord, Trail } from '../../core/routing/trail.ts'
import { affordsRetry, spentOnRetries } from '../../core/tokens/retry-tokens.ts'
import type { FleetMemory, NotedAttempt } from '../memory/fleet-memory.ts'
import type { ProbeNow } from '../probes/probe-on-demand.ts'
import { createAdaptations } from './adaptations.ts'
import { expectedTokens, type Admitted } from './admit.ts'
import type { CommittedAnswer } from './answer/committed-answer.ts'
import { usageOf, type CandidateCall, type CandidateTools } from './call-candidate.ts'
import { giveUp } from './give-up.ts'
import { callHedged } from './hedging/call-hedged.ts'
import type { HedgeBudget } from './hedging/hedge-budget.ts'
import type { ProviderKeys, Run } from './run.ts'
import { stillAvailable, type Available } from './still-available.ts'

export type PlanTools = CandidateTools & {
  memory: FleetMemory
  keys: ProviderKeys
  probeNow: ProbeNow
  hedges: HedgeBudget
}

type WalkedPlan = {
  plan: Plan
  trail: Trail
  /** What attempts have cost that failed after the first one had. */
  retryTokens: number
}

/** A plan that led to an answer: from here on there is no other endpoint. */
export type AnsweredRun = WalkedPlan & {
  kind: 'answered'
  /** The attempt that answers. */
  served: AttemptRecord
  answer: CommittedAnswer
  noted: NotedAttempt
}

export type FailedRun = WalkedPlan & { kind: 'failed'; finalError: FinalError }

export type PlanResult = AnsweredRun | FailedRun

type Next = Pick<FailedAttempt, 'candidate' | 'key' | 'via' | 'waitedMs'>

const START: Next = { candidate: 0, key: null, via: 'start', waitedMs: 0 }

/** What a step leads to; the key of a candidate that was not called yet is found when it is. */
const nextOf = (step: Exclude<Step, { kind: 'give_up' }>): Next => ({
  candidate: step.candidate,
  key: 'key' in step ? step.key : null,
  via: step.kind,
  waitedMs: step.kind === 'retry' ? step.waitMs : 0,
})

/** Walks the plan, attempt by attempt, as `nextStep` says, until an answer commits or nothing is left to try. */
export async function runPlan(
  run: Run,
  { plan: planned, admitted }: { plan: Plan; admitted: Admitted | null },
  headers: Readonly<Record<string, string>>,
  tools: PlanTools,
): Promise<PlanResult> {
  const { request, settings, retryLimit, sentOnce, client } = run
  const { clock, memory, keys, plainAsks } = tools
  const candidates = [...planned.candidates, ...planned.lastResorts]
  const skipped: Skipped[] = [...planned.skipped]
  const plan: Plan = { ...planned, skipped }
  const trail: AttemptRecord[] = []
  const failed: FailedAttempt[] = []
  /** Of every call that gave no answer, in order: those that another one was faster than have cost something too. */
  const costs: { tokens: number }[] = []
  const dropped = new Set<number>()
  const again = new Set<number>()
  const adaptations = createAdaptations(request, memory)
  const { fallback } = request
  const tokens = expectedTokens(request)
  if (run.chain.hedge) tools.hedges.asked()

  const progress = (): PlanProgress => ({
    candidates,
    failed,
    settings,
    elapsedMs: clock.now() - run.startedAt,
    random: clock.random(),
    fallback,
    dropped,
    again,
    retryLimit: { ...retryLimit, budget: retryLimit.budget - spentOnRetries(costs) + spentOnRetries(failed) },
    sentOnce,
    degraded: planned.degraded,
  })
  const walked = (): WalkedPlan => ({ plan, trail, retryTokens: spentOnRetries(costs) })
  function failWith(reason: GiveUpReason): FailedRun {
    const soFar = walked()
    return { kind: 'failed', ...soFar, finalError: giveUp(run, soFar, reason, clock.now()) }
  }

  /** A last resort is skipped until it is called. */
  function unskip({ endpoint }: Candidate): void {
    const at = skipped.findIndex(skip => skip.endpoint === endpoint)
    if (at >= 0) skipped.splice(at, 1)
  }

  /** Where to go instead of a candidate that was barred since the plan was made; null = nowhere. */
  function passBy(next: Next, candidate: Candidate, barred: Omit<Skipped, 'endpoint' | 'tier'>): Next | null {
    dropped.add(next.candidate)
    unskip(candidate)
    skipped.push({ endpoint: candidate.endpoint, tier: candidate.tier, ...barred })
    const [other] = untried(progress(), next.candidate)
    if (other === undefined) return null
    const via = next.via === 'fail_over' ? 'fail_over' : 'degrade'
    return { ...next, candidate: other, key: null, via }
  }

  for (let next = START; ;) {
    const candidate = candidates[next.candidate]
    if (!candidate) return failWith('exhausted')
    const isLast = untried(progress(), next.candidate).length === 0
    const taken = next.via === 'start' && next.candidate === 0 ? admitted : null
    const available = await stillAvailable(candidate, next, {
      memory,
      clock,
      isLast,
      tokens,
      admitted: taken,
    })
    if ('barred' in available) {
      const other = passBy(next, candidate, available.barred)
      if (!other) return failWith('exhausted')
      next = other
      continue
    }
    next = { ...next, key: available.key }
    unskip(candidate)
    again.delete(next.candidate)

    const attemptsAfter = settings.retry_max_attempts - trail.length - 1
    const describe = (at: number, { key, trial, claim }: Available): CandidateCall => {
      const called = candidates[at] ?? candidate
      const others = sentOnce ? 0 : untried(progress(), at).length
      return {
        candidate: called,
        endpoint: adaptations.endpointOf(at, called),
        key,
        trial,
        claim,
        headers,
        onSilence: memory.silent,
        othersWaiting: Math.max(0, Math.min(others, attemptsAfter)),
        unsealed: trail.some(({ endpoint }) => endpoint.provider !== called.endpoint.provider),
        mayAskPlainly: () =>
          !failed.some(({ candidate: index }) => index === at) && allowsAnotherWay(progress(), at),
      }
    }
    const calls = await callHedged(run, tools, {
      plan: planned,
      candidates,
      at: next.candidate,
      available,
      left: untried(progress(), next.candidate),
      allowsAnother: attemptsAfter > 0 && affordsRetry(costs, retryLimit),
      describe,
    })
    const failedBefore = failed.length
    for (const { at, key, isLost, result, attempted, noted } of calls) {
      again.delete(at)
      trail.push(attempted)
      memory.quotas.heard(noted, attempted)
      if (isLost) {
        again.add(at)
        costs.push({ tokens: request.promptTokens })
        memory.quotas.ended(noted, request.promptTokens)
        continue
      }
      if (result.kind === 'committed') {
        memory.committed(noted)
        if (noted.plainly) plainAsks.answered(noted.endpoint.id)
        adaptations.answered(at)
        return { kind: 'answered', ...walked(), served: attempted, answer: result.answer, noted }
      }

      const { failure, outputStarted } = result
      if (failure.kind === 'auth') keys.refused()
      const { totalTokens } = usageOf(result, request, noted.plainly)
      memory.quotas.ended(noted, totalTokens)
      const isLearnt = adaptations.learn(at, noted, failure)
      // What was our own choice counts against nobody before the same was asked for as a stream.
      const isOfAsking = !isLearnt && noted.plainly === true && plainAsks.failed(noted.endpoint.id, failure)
      if (!isOfAsking) memory.failed(noted, failure)
      const adaptable = isLearnt || isOfAsking
      const way = at === next.candidate ? next : { ...next, candidate: at, key, via: 'fail_over' as const }
      const trial = available.trial !== null
      costs.push({ tokens: totalTokens })
      failed.push({ ...way, failure, outputStarted, tokens: totalTokens, adaptable, trial })
    }

    const sideBySide = failed.splice(failedBefore)
    failed.push(...decidingLast(progress(), sideBySide))
    const step = nextStep(progress())
    if (step.kind === 'give_up') return failWith(step.reason)
    if (step.kind === 'retry') await clock.sleep(step.waitMs, client)
    if (client.aborted) return failWith('exhausted')
    next = nextOf(step)
  }
}
