import { finishKindOf } from '../../core/answers/finish-reasons.ts'
import { dollarsOf, roundDollars } from '../../core/cost.ts'
import type { Failure } from '../../core/failures/failure.ts'
import { isOwnEnd } from '../../core/failures/own-end.ts'
import { storedWords } from '../../core/failures/stored-words.ts'
import { withoutEcho } from '../../core/failures/secrecy/without-echo.ts'
import type { AnswerTiming } from '../../core/health/answer-speed.ts'
import type { Log } from '../../core/log-event.ts'
import type { RequestCompleted } from '../../core/request-completed.ts'
import { atFaultOf } from '../../core/routing/at-fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { ERROR_CODES, type ErrorCode } from '../../core/routing/error-codes.ts'
import { trailWithCut, type AttemptRecord, type Trail } from '../../core/routing/trail.ts'
import type { EndedRequest } from '../../core/tracing/request-spans.ts'
import type { Clock } from '../../platform/clock.ts'
import type { UsageRecord } from '../callers/usage-record.ts'
import type { FleetMemory } from '../memory/fleet-memory.ts'
import { answerUsage, consumedBy } from './consumed-by.ts'
import type { AnsweredRun, PlanResult } from './run-plan.ts'
import type { AdmittedRun, Run } from './run.ts'

/** How an answer ended for the client. */
export type AnswerEnd = { kind: 'complete' } | { kind: 'cut'; failure: Failure } | { kind: 'left' }

export type RecordTools = {
  memory: Pick<FleetMemory, 'succeeded' | 'failed' | 'quotas'>
  usage: Pick<UsageRecord, 'ended'>
  clock: Pick<Clock, 'now'>
  log: Log
}

type Ended = {
  /** Null where nothing answered. */
  end: AnswerEnd | null
  /** Our own part of the time to the first byte. */
  overheadMs: number
}

/** Our own part of the time since the request came in, until `at`: without its attempts. */
export function overheadOf({ startedAt }: Run, trail: Trail, at: number): number {
  const inAttemptsMs = trail.reduce((sum, { durationMs }) => sum + durationMs, 0)
  return Math.max(0, at - startedAt - inAttemptsMs)
}

/** Tells the fleet's memory and the log how a request ended; a client that left says nothing about its endpoint. */
export function record(
  run: AdmittedRun,
  result: PlanResult,
  { end, overheadMs }: Ended,
  tools: RecordTools,
): void {
  const { memory, usage, clock, log } = tools
  if (result.kind === 'answered') {
    memory.quotas.ended(result.noted, result.answer.reader.progress.usage?.totalTokens ?? null)
    if (end?.kind === 'cut') memory.failed(result.noted, end.failure)
    else if (end?.kind === 'complete') memory.succeeded(result.noted, timingOf(result))
  }
  const line = requestCompleted({ run, result, end, overheadMs, durationMs: clock.now() - run.startedAt })
  log(line)
  run.trace?.ended({ line, ...tracedAttempts(result) })
  const consumed = consumedBy(result, run.request.promptTokens)
  usage.ended(line, consumed)
  run.admission.ended(line, consumed)
}

/** The attempts as a trace has them: which of them answered, and when its first output came. */
function tracedAttempts(result: PlanResult): Omit<EndedRequest, 'line'> {
  const attempts = result.trail.map(({ spanId, endpoint }) => ({ spanId: spanId ?? null, endpoint }))
  if (result.kind === 'failed') return { attempts, served: null }
  const { trail, served, answer } = result
  const firstOutputMs = served.startedAfterMs + answer.timing.firstOutputMs
  return { attempts, served: { at: trail.indexOf(served), firstOutputMs } }
}

function timingOf({ answer: { timing, reader } }: AnsweredRun): AnswerTiming {
  const { usage, outputEvents } = reader.progress
  return { ...timing, outputTokens: usage?.completionTokens ?? outputEvents }
}

const LONGEST_FINISH = 64

const attemptLine = (record: AttemptRecord): RequestCompleted['attempts'][number] => ({
  endpoint: record.endpoint.name,
  id: record.endpoint.id,
  provider: record.endpoint.provider,
  tier: record.tier + 1,
  key: record.key,
  outcome: record.outcome,
  scope: record.failure?.scope ?? null,
  structural: record.failure?.structural ?? false,
  status: record.status,
  startedAfterMs: record.startedAfterMs,
  durationMs: record.durationMs,
  message: record.failure && storedWords(record.failure),
})

/** What attempts cost that gave the client no whole answer, because it left as well; null where nobody knows a price. */
function lostDollarsOf(result: PlanResult, end: AnswerEnd | null, promptTokens: number): number | null {
  const lost = result.trail.map(({ lostDollars }) => lostDollars)
  if (result.kind === 'answered' && endedEarly(result, end)) {
    lost.push(dollarsOf(answerUsage(result, promptTokens), result.served.endpoint.price))
  }
  const known = lost.filter(dollars => dollars !== null)
  return known.length === 0 ? null : roundDollars(known.reduce((sum, dollars) => sum + dollars, 0))
}

/** A client that left after the upstream had counted was shown nearly all of it. */
const endedEarly = ({ answer }: AnsweredRun, end: AnswerEnd | null): boolean =>
  end?.kind === 'cut' || (end?.kind === 'left' && answer.reader.progress.usage === null)

/** With the prompt of the attempt that answered, where it was not the first. */
function retryTokensOf({ kind, trail, retryTokens }: PlanResult, promptTokens: number): number {
  return retryTokens + (kind === 'answered' && trail.length > 1 ? promptTokens : 0)
}

const outcomeOf = (result: PlanResult, end: AnswerEnd | null): RequestCompleted['outcome'] => {
  if (result.kind === 'failed') return result.finalError.code === 'client_left' ? 'client-left' : 'failed'
  return end?.kind === 'complete' ? 'answered' : end?.kind === 'cut' ? 'cut' : 'client-left'
}

function codeOf(result: PlanResult, end: AnswerEnd | null): ErrorCode | null {
  if (result.kind === 'failed') return result.finalError.code
  if (end?.kind !== 'cut') return null
  return isOwnEnd(end.failure) ? 'gateway_stopped' : 'stream_cut'
}

/** What only an answer can tell. */
function answerFields(result: PlanResult, end: AnswerEnd | null, { native, body }: Run['request']) {
  if (result.kind === 'failed') {
    return {
      servedBy: null,
      usage: null,
      dollars: null,
      finishReason: null,
      malformedEvents: 0,
      firstTokenMs: null,
    }
  }
  const { served, answer } = result
  const { progress, malformedEvents } = answer.reader
  return {
    servedBy: served.endpoint.name,
    usage: progress.usage,
    // A fragment's price stands with what was lost.
    dollars: end?.kind === 'cut' ? null : dollarsOf(progress.usage, served.endpoint.price),
    // Not every host keeps to a few words of its own here.
    finishReason: progress.finish && finishWord(progress.finish, native, body),
    malformedEvents: malformedEvents(),
    firstTokenMs: served.startedAfterMs + served.durationMs,
  }
}

/** A finish reason without what it may quote; the usual words quote nothing. */
const finishWord = (finish: string, native: JsonObject, body: JsonObject): string =>
  finishKindOf(finish) === 'other' ? withoutEcho(finish.slice(0, LONGEST_FINISH), native, body) : finish

type Completed = Ended & { run: Run; result: PlanResult; durationMs: number }

/** The structured log line of one request, to be written when its answer has ended, however it did. */
function requestCompleted({ run, result, end, overheadMs, durationMs }: Completed): RequestCompleted {
  const { request, chain, retryLimit } = run
  const { plan } = result
  const code = codeOf(result, end)
  const { servedBy, ...answered } = answerFields(result, end, request)
  const trail =
    result.kind === 'answered' && end?.kind === 'cut'
      ? trailWithCut(result.trail, result.served, end.failure)
      : result.trail
  return {
    event: 'request-completed',
    requestId: request.id,
    ...(run.trace && { traceId: run.trace.traceId }),
    caller: request.caller.name,
    alias: request.alias,
    ...(chain.alias !== request.alias && { chain: chain.alias }),
    outcome: outcomeOf(result, end),
    status: result.kind === 'answered' || code === null ? 200 : ERROR_CODES[code].status,
    code,
    atFault: atFaultOf({
      code,
      cut: end?.kind === 'cut' ? end.failure : null,
      request,
      isDirect: chain.isDirect ?? false,
    }),
    stream: request.stream,
    servedBy,
    plan: {
      candidates: plan.candidates.map(({ endpoint, tier, suspect, sticky, rank, keys }) => ({
        endpoint: endpoint.name,
        id: endpoint.id,
        tier: tier + 1,
        suspect,
        ...(sticky && { sticky }),
        ...(rank && { rank }),
        keys,
      })),
      skipped: plan.skipped.map(({ endpoint, tier, reason, until, cause, param }) => ({
        endpoint: endpoint.name,
        id: endpoint.id,
        tier: tier + 1,
        reason,
        until,
        cause,
        ...(param === undefined ? {} : { param }),
      })),
    },
    attempts: trail.map(attemptLine),
    promptTokensEstimate: request.promptTokens,
    retryTokens: retryTokensOf(result, answered.usage?.promptTokens ?? request.promptTokens),
    retryTokenBudget: retryLimit.budget,
    lostDollars: lostDollarsOf(result, end, request.promptTokens),
    ...answered,
    overheadMs,
    durationMs,
  }
}
