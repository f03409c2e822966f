import type { ChatRequest } from '../../core/chat-request.ts'
import type { Candidate, Endpoint } from '../../core/endpoint.ts'
import type { Failure } from '../../core/failures/failure.ts'
import { refusesSeal } from '../../core/failures/refuses-seal.ts'
import { withStoredWords } from '../../core/failures/stored-words.ts'
import type { EndpointFigures } from '../../core/routing/endpoint-figures.ts'
import { asksPlainly } from '../../core/routing/promptness/asks-plainly.ts'
import { attemptLimits, deadlineLeftMs, hidesSilence } from '../../core/routing/budget.ts'
import { usualFirstOutputMs } from '../../core/routing/promptness/usual-first-output.ts'
import type { AttemptRecord } from '../../core/routing/trail.ts'
import { mostOutputTokens } from '../../core/tokens/estimate-output-tokens.ts'
import { dollarsOf } from '../../core/cost.ts'
import type { Usage } from '../../core/answers/usage.ts'
import { failedUsage } from '../../core/tokens/retry-tokens.ts'
import { ownFieldsOf } from '../../core/health/client-fields.ts'
import type { ClaimedTrial } from '../memory/breaker-trials.ts'
import type { NotedAttempt } from '../memory/fleet-memory.ts'
import type { QuotaClaim } from '../quotas/quotas.ts'
import { isNativeFor, nativeAttempt } from './native-attempt.ts'
import type { PlainAsks } from '../memory/counters/plain-asks.ts'
import { attempt, type AttemptResult, type AttemptTools } from './attempt.ts'
import type { ProviderKeys, Run } from './run.ts'
import { wireFor } from './wire-for.ts'

export type CandidateTools = AttemptTools & { keys: ProviderKeys; plainAsks: PlainAsks }

export type CandidateCall = {
  candidate: Candidate
  /** The candidate's, without what it has refused in this request. */
  endpoint: Endpoint
  /** Fingerprint of the key. */
  key: string | null
  /** The breakers that it goes through as their one trial. */
  trial: ClaimedTrial | null
  /** What it has taken of known quotas. */
  claim: QuotaClaim | null
  headers: Readonly<Record<string, string>>
  /** How many candidates may still be called after this one. */
  othersWaiting: number
  /** It has been silent for so long that others should not wait for it; returns whether that counts as a failure. */
  onSilence(noted: NotedAttempt, failure: Failure): boolean
  /** To be told when its first output has come. */
  onOutput?: () => void
  /** Another provider was called before: what that one has sealed, this one cannot read. */
  unsealed: boolean
  /** Whether it may be called once more for a stream, where it does not answer a plain call. */
  mayAskPlainly(): boolean
}

export type CandidateAttempt = {
  result: AttemptResult
  /** As it is shown in headers, errors and the log line. */
  attempted: AttemptRecord
  /** As the fleet's memory takes it. */
  noted: NotedAttempt
}

const outcomeOf = (failure: Failure | null): AttemptRecord['outcome'] =>
  failure === null ? 'ok' : failure.code === 'ABORT_ERR' ? 'client_left' : failure.kind

/** Sound in pieces is another sound: several formats exist only whole. */
const needsPlain = ({ stream, body: { modalities } }: ChatRequest): boolean =>
  !stream && Array.isArray(modalities) && modalities.includes('audio')

/** A result whose failures, now or later, say what of them may be stored. */
function withWords(result: AttemptResult, { body, native }: ChatRequest): AttemptResult {
  const told = (failure: Failure): Failure => withStoredWords(failure, native, body)
  if (result.kind === 'failed') return { ...result, failure: told(result.failure) }
  const { failureOf } = result.answer
  return { kind: 'committed', answer: { ...result.answer, failureOf: error => told(failureOf(error)) } }
}

/** Work in the background is not waited for, and its answer is no answer yet. */
const isStreamable = ({ native }: ChatRequest, mostTokens: number): boolean =>
  native.background !== true && hidesSilence(mostTokens)

/** So many of the calls that could be plain are streams, so that what is known of first outputs and speed stays new. */
const STREAMED_SHARE = 0.02

/** The plain one, and the stream that follows where it fails. */
const CALLS_IN_TURN = 2

type PlainCall = { usualMs: number; cuts: number; figures: EndpointFigures | undefined; mostTokens: number }

/**
 * Whether a whole answer is asked for as one: nothing else wants to see its first output, and there is time to ask for a
 * stream where it does not come.
 */
function isAskedPlainly(run: Run, called: CandidateCall, tools: CandidateTools, call: PlainCall): boolean {
  const { request, chain, snapshot, settings } = run
  const { endpoint, trial, mayAskPlainly, othersWaiting } = called
  const now = tools.clock.now()
  const leftMs = Math.min(deadlineLeftMs(settings, now - run.startedAt), run.endsAt - now)
  return (
    request.kind === 'chat' &&
    !request.stream &&
    mayAskPlainly() &&
    !needsPlain(request) &&
    trial === null &&
    chain.hedge === undefined &&
    call.cuts === 0 &&
    !snapshot.degraded &&
    endpoint.stream !== false &&
    endpoint.timeouts.firstOutputMs === undefined &&
    CALLS_IN_TURN * call.usualMs <= leftMs / (othersWaiting + 1) &&
    !isNativeFor(endpoint, request) &&
    asksPlainly({ ...call, promptTokens: request.promptTokens }) &&
    tools.plainAsks.mayAsk(endpoint.id) &&
    tools.clock.random() >= STREAMED_SHARE
  )
}

/** Calls one candidate once, within the time that is left for it. Never throws. */
export async function callCandidate(
  run: Run,
  tools: CandidateTools,
  called: CandidateCall,
): Promise<CandidateAttempt> {
  const { candidate, endpoint, key, trial, claim, headers, othersWaiting: waiting, unsealed } = called
  const { request, chain, settings, startedAt, client } = run
  const { degraded, figures, cuts } = run.snapshot
  const beganAt = tools.clock.now()
  const secret = key === null ? null : (tools.keys.ring().secretOf(endpoint.provider, key) ?? null)
  const mostTokens = mostOutputTokens(request.body)
  const trace = run.trace?.attempt()
  const isWhole = isNativeFor(endpoint, request) && !request.stream
  // A body that goes up as it came asks for no stream, and so shows no silence until it is far too late for others.
  const streams = isWhole && waiting > 0 && endpoint.stream !== false && isStreamable(request, mostTokens)
  const timing = { figures: figures.get(endpoint.id), cuts: cuts.get(endpoint.id) ?? 0 }
  const { promptTokens } = request
  const timed = isWhole && !streams ? { ...endpoint, stream: false } : endpoint
  const noted: NotedAttempt = {
    endpoint,
    key,
    requestId: request.id,
    startedAt: beganAt,
    trial,
    claim,
    ownFields: ownFieldsOf(request.body),
    promptTokens,
    isWhole: timed.stream === false || needsPlain(request),
  }
  const usualMs = usualFirstOutputMs({
    settings,
    ...timing,
    promptTokens,
    isTrial: trial !== null,
  })
  const plainly = isAskedPlainly(run, called, tools, { ...timing, mostTokens, usualMs })
  let wasSilent = false
  const onSilence = (failure: Failure): void => {
    wasSilent = called.onSilence(noted, failure)
  }
  const elapsedMs = beganAt - startedAt
  const remainingMs = run.endsAt - beganAt
  const limits = attemptLimits({
    endpoint: timed,
    elapsedMs,
    remainingMs,
    waiting,
    mostTokens,
    settings,
    usualMs,
    degraded,
  })
  const call = (without: boolean): Promise<AttemptResult> =>
    attempt(
      {
        endpoint: plainly || needsPlain(request) ? { ...endpoint, stream: false } : endpoint,
        wire: wireFor(request.kind, request.body),
        native: nativeAttempt(request, endpoint, secret, { unsealed: without, streams }),
        secret,
        presentedKeys: run.presentedKeys ?? [],
        body: request.body,
        headers: trace ? { ...headers, ...trace.headers } : headers,
        sentOnce: run.sentOnce,
        hold: !request.stream || request.buffer || chain.buffer,
        // Silence of a plain call is noticed by the stream that follows it.
        limits: plainly
          ? { ...limits, firstOutputMs: Math.min(usualMs, limits.firstOutputMs), silenceMs: null }
          : limits,
        onSilence,
        onOutput: called.onOutput,
        client,
        shutdown: run.shutdown,
      },
      tools,
    )
  const first = await call(unsealed)
  // Nobody has worked on a request whose seals were refused.
  const isSealed = first.kind === 'failed' && refusesSeal(first.failure)
  const told = isSealed && !unsealed && request.nativeCall?.unsealed ? await call(true) : first
  const result = withWords(told, request)
  const failure = result.kind === 'failed' ? result.failure : null
  const { status, headers: responseHeaders } =
    result.kind === 'failed' ? { ...result, status: result.failure.status } : result.answer
  return {
    result,
    attempted: {
      endpoint,
      tier: candidate.tier,
      key,
      outcome: outcomeOf(failure),
      status,
      headers: responseHeaders,
      spanId: trace?.spanId ?? null,
      startedAfterMs: elapsedMs,
      durationMs: tools.clock.now() - beganAt,
      failure,
      lostDollars:
        result.kind === 'failed' ? dollarsOf(usageOf(result, request, plainly), endpoint.price) : 0,
    },
    noted: { ...noted, wasSilent, plainly },
  }
}

/** The tokens of a failed attempt, as far as anybody can tell. */
export function usageOf(
  { failure, received }: Extract<AttemptResult, { kind: 'failed' }>,
  { body, promptTokens }: ChatRequest,
  plainly = false,
): Usage {
  // An estimate may exceed the limit that was asked for, and no answer does.
  const outputTokens = Math.min(received.outputTokens, mostOutputTokens(body))
  // An answer that comes in one piece is made, and billed, whether it is waited for or not.
  const isMade = plainly && failure.code === 'BACKSTOP_FIRST_OUTPUT_TIMEOUT'
  const status = isMade ? 200 : failure.status
  return failedUsage({ status, usage: received.usage, outputTokens }, promptTokens)
}
