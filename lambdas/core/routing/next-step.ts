import { backoffMs } from './backoff.ts'
import { deadlineLeftMs } from './budget.ts'
import type { Candidate } from '../endpoint.ts'
import type { Failure } from '../failures/failure.ts'
import { KINDS } from '../failures/kinds.ts'
import { affordsRetry, type RetryLimit } from '../tokens/retry-tokens.ts'
import type { Settings } from '../settings/settings.ts'
import { wasTurnedAway } from './tool-round.ts'

/** What was done to get to an attempt. */
export type Via = 'start' | 'rotate' | 'retry' | 'adapt' | 'fail_over' | 'degrade'

/** One failed attempt as the next step sees it. */
export type FailedAttempt = {
  /** Index into the candidates. */
  candidate: number
  key: string | null
  via: Via
  /** Waited before it, in milliseconds. */
  waitedMs: number
  failure: Failure
  /** The answer broke off after output had started (a held answer: nothing had reached the client). */
  outputStarted: boolean
  /** It was the one trial of a breaker: nothing may follow it on the same endpoint. */
  trial?: boolean
  /** The same endpoint would take the request without what it refused, and answer the same. */
  adaptable?: boolean
  /** What it cost, as far as anybody can tell. */
  tokens: number
}

/** Somebody was left to ask, and a rule forbade it. */
export type Veto = 'tool_round' | 'retry_tokens'

export type GiveUpReason = 'request_fault' | 'deadline' | 'attempts' | 'exhausted' | Veto

export type Step =
  | { kind: 'rotate'; candidate: number; key: string }
  | { kind: 'adapt'; candidate: number; key: string | null }
  | { kind: 'fail_over' | 'degrade'; candidate: number }
  | { kind: 'retry'; candidate: number; key: string | null; waitMs: number }
  | { kind: 'give_up'; reason: GiveUpReason }

/** How far the walk through a plan has come. */
export type PlanProgress = {
  candidates: readonly Candidate[]
  /** Every failed attempt of this request, in order; the last one is the failure to decide on. */
  failed: readonly FailedAttempt[]
  settings: Settings
  /** Since the request began, in milliseconds. */
  elapsedMs: number
  /** In [0, 1). */
  random: number
  /** False: the client wants the first endpoint only. */
  fallback: boolean
  /** Candidates that were barred while the request was under way. */
  dropped: ReadonlySet<number>
  /** Candidates whose last call was ended because one beside it was faster: well, as far as anybody knows. */
  again: ReadonlySet<number>
  retryLimit: RetryLimit
  /** The fleet is: suspects are called before a request is rejected for want of attempts. */
  degraded: boolean
  /** What the upstream may have begun to work on must not be sent again, to any endpoint. */
  sentOnce: boolean
}

const giveUp = (reason: GiveUpReason): Step => ({ kind: 'give_up', reason })

/** Another key of the same provider may have what this one lacks; no key helps where another Backstop found no endpoint. */
const isAboutTheKey = ({ scope, kind, relayed }: Failure): boolean =>
  (!relayed || kind === 'auth') &&
  (scope === 'key' || (scope === 'model' && KINDS[kind].ownLimit === 'quota'))

const stopsTheChain = (failure: Failure, settings: Settings): boolean =>
  !failure.tryNext || (failure.kind === 'content_filter' && settings.content_filter === 'stop')

function unusedKey(
  candidate: Candidate,
  failed: readonly FailedAttempt[],
  index: number,
): string | undefined {
  const used = new Set(failed.filter(attempt => attempt.candidate === index).map(attempt => attempt.key))
  return candidate.keys.find(key => !used.has(key))
}

/** A prompt that was too long for a model is not sent to that model again, and only to a larger window elsewhere. */
function fitsAfterRefusals({ candidates, failed }: PlanProgress, candidate: Candidate): boolean {
  return failed.every(({ candidate: index, failure }) => {
    const refuser = candidates[index]
    if (failure.kind !== 'context_length' || !refuser) return true
    const window = candidate.endpoint.contextWindow
    const refused = refuser.endpoint.contextWindow ?? failure.statedWindow ?? null
    if (window === null) return candidate.tier !== refuser.tier
    return refused === null ? candidate.tier !== refuser.tier : window > refused
  })
}

/**
 * Indexes of the candidates that may still be called after `current`: first those that were ended for a faster call, then
 * those behind every one that has failed. A plan is not walked backwards otherwise.
 */
export function untried(progress: PlanProgress, current: number): readonly number[] {
  const { candidates, failed, dropped, again, fallback } = progress
  if (!fallback) return []
  const left: number[] = []
  function look(index: number): void {
    const candidate = candidates[index]
    if (candidate && !dropped.has(index) && fitsAfterRefusals(progress, candidate)) left.push(index)
  }
  for (const index of again) if (index !== current) look(index)
  const reached = failed.reduce((most, { candidate }) => Math.max(most, candidate), current)
  for (let index = reached + 1; index < candidates.length; index += 1) if (!again.has(index)) look(index)
  return left
}

/**
 * One attempt is kept for every tier not reached yet; suspects and last resorts at the end of the plan reserve none, but for
 * one of all suspects together while the fleet is degraded: then they may be all that is left.
 */
function reservedAttempts({ candidates, failed, degraded }: PlanProgress, left: readonly number[]): number {
  if (left.length === 0) return 0
  const groupOf = (candidate: Candidate | undefined): number | 'suspects' | null => {
    if (!candidate || candidate.lastResort) return null
    return !candidate.suspect ? candidate.tier : degraded ? 'suspects' : null
  }
  const groupsOf = (indexes: readonly number[]) => new Set(indexes.map(index => groupOf(candidates[index])))
  const reached = groupsOf(failed.map(({ candidate }) => candidate))
  return [...groupsOf(left)].filter(group => group !== null && !reached.has(group)).length
}

/** The wait before the same endpoint is called once more, or null where that must not be. */
function retryWaitMs(progress: PlanProgress, last: FailedAttempt, reserved: number): number | null {
  const { failed, settings, elapsedMs, random } = progress
  const { failure } = last
  if (failure.class !== 'retryable' || failure.kind === 'timeout' || failure.structural) return null
  // Another Backstop has retried already: doing it once more for each hop would multiply one failure.
  if (last.outputStarted || failure.relayed) return null
  // Only another endpoint is a first delivery.
  if (progress.sentOnce && settings.tool_retries === 'turned_away') return null
  // A quota without a stated return comes back in hours: another call at once only hammers.
  if (failure.kind === 'quota_exhausted' && failure.retryAfterMs === null) return null
  if (failed.some(({ candidate, via }) => candidate === last.candidate && via === 'retry')) return null
  const retries = failed.filter(({ via }) => via === 'retry').length
  const wait = Math.max(failure.retryAfterMs ?? 0, backoffMs(settings.retry_base_ms, retries, random))
  const waited = failed.reduce((sum, attempt) => sum + attempt.waitedMs, 0)
  const fits = wait <= settings.retry_patience_ms && waited + wait <= settings.retry_total_wait_ms
  // Tiers not reached yet need time to answer in; a dead end is worse than a lower model.
  const needed = reserved * settings.first_output_timeout_ms
  return fits && wait + needed < deadlineLeftMs(settings, elapsedMs) ? wait : null
}

/**
 * A refusal at the door: nobody has worked on the request, so that another key, or the request without what was
 * refused, is a first try, and no second one. Behind another Backstop somebody may have.
 */
const wasRefusedAtTheDoor = ({ status, relayed, kind }: Failure): boolean =>
  status !== null && status >= 400 && status < 500 && (!relayed || kind === 'auth')

/** Nobody has worked on the request yet, so that this step is its first delivery. */
function isFirstTry({ kind }: Step, { failed, settings }: PlanProgress): boolean {
  const last = failed.at(-1)
  if (!last) return true
  if (kind === 'rotate' || kind === 'adapt') return wasRefusedAtTheDoor(last.failure)
  const movesOn = kind === 'fail_over' || kind === 'degrade'
  return movesOn && settings.tool_retries === 'turned_away' && wasTurnedAway(last.failure)
}

function vetoOn(step: Step, progress: PlanProgress): Veto | null {
  const { failed, retryLimit, sentOnce } = progress
  if (sentOnce && !isFirstTry(step, progress)) return 'tool_round'
  return affordsRetry(failed, retryLimit) ? null : 'retry_tokens'
}

const attemptsLeftOf = ({ settings, failed }: PlanProgress): number =>
  settings.retry_max_attempts - failed.filter(({ via }) => via !== 'rotate').length

/** Whether a candidate whose next call fails could be called once more in another form. */
export function allowsAnotherWay(progress: PlanProgress, candidate: number): boolean {
  const { failed, retryLimit, sentOnce } = progress
  const reserved = reservedAttempts(progress, untried(progress, candidate))
  const costs = [...failed, { tokens: retryLimit.promptTokens }]
  return !sentOnce && attemptsLeftOf(progress) - 1 > reserved && affordsRetry(costs, retryLimit)
}

/**
 * What to do after a failed attempt: give up, rotate the key, ask the same endpoint
 * without the field that it refused (once), fail over to a replica, retry the same endpoint once
 * (only when no replica of its tier is left), or degrade to a lower tier; in that order of preference, unless a rule
 * forbids a further attempt. Pure: the same history always gives the same step.
 */
export function nextStep(progress: PlanProgress): Step {
  const step = preferredStep(progress)
  const veto = step.kind === 'give_up' ? null : vetoOn(step, progress)
  return veto === null ? step : giveUp(veto)
}

/** What to do after a failed attempt where no rule forbids a further one. */
export function preferredStep(progress: PlanProgress): Step {
  const { candidates, failed, settings, elapsedMs } = progress
  const last = failed.at(-1)
  const current = last && candidates[last.candidate]
  if (!last || !current) return giveUp('exhausted')
  const adapted = failed.some(({ candidate, via }) => candidate === last.candidate && via === 'adapt')
  const mayAdapt = last.adaptable === true && !adapted && !last.trial
  // What the same endpoint takes in another form is no fault of the request.
  if (!mayAdapt && stopsTheChain(last.failure, settings)) return giveUp('request_fault')
  if (deadlineLeftMs(settings, elapsedMs) === 0) return giveUp('deadline')

  // A trial is one call: neither another key nor another try may follow it.
  const key =
    isAboutTheKey(last.failure) && !last.trial ? unusedKey(current, failed, last.candidate) : undefined
  if (key !== undefined) return { kind: 'rotate', candidate: last.candidate, key }

  const attemptsLeft = attemptsLeftOf(progress)
  const left = untried(progress, last.candidate)
  if (attemptsLeft <= 0) return giveUp(left.length > 0 ? 'attempts' : 'exhausted')

  const reserved = reservedAttempts(progress, left)
  const mayStay = attemptsLeft > reserved
  if (mayAdapt && mayStay) {
    return { kind: 'adapt', candidate: last.candidate, key: last.key }
  }
  const isReplica = (index: number): boolean =>
    candidates[index]?.tier === current.tier &&
    candidates[index]?.suspect === current.suspect &&
    candidates[index]?.lastResort === current.lastResort
  const replica = left.find(isReplica)
  if (replica !== undefined && mayStay) return { kind: 'fail_over', candidate: replica }

  const wait = replica === undefined && mayStay && !last.trial ? retryWaitMs(progress, last, reserved) : null
  if (wait !== null) return { kind: 'retry', candidate: last.candidate, key: last.key, waitMs: wait }

  const next = left.find(index => !isReplica(index))
  if (next === undefined) return giveUp('exhausted')
  const sameTier = candidates[next]?.tier === current.tier
  return { kind: sameTier ? 'fail_over' : 'degrade', candidate: next }
}
