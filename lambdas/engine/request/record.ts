import type { ChatRequest } from '../../core/chat-request.ts'
import type { Price } from '../../core/endpoint.ts'
import { ERROR_CODES, type ErrorCode } from '../../core/routing/error-codes.ts'
import type { JsonObject } from '../../core/json.ts'
import type { RequestCompleted } from '../../core/request-completed.ts'
import type { AttemptRecord } from '../../core/routing/trail.ts'
import type { Usage } from '../../core/answers/usage.ts'
import { withoutEcho } from '../../core/failures/without-echo.ts'
import type { AnswerReader } from './answer-reader.ts'
import type { PlanResult } from './run-plan.ts'

export type Completion = {
  request: ChatRequest
  result: PlanResult
  outcome: RequestCompleted['outcome']
  code: ErrorCode | null
  /** Null where nothing answered. */
  reader: AnswerReader | null
  overheadMs: number
  durationMs: number
}

const MILLION = 1e6

const dollarsOf = (usage: Usage | null, price: Price | null): number | null =>
  usage && price && (usage.promptTokens * price.input + usage.completionTokens * price.output) / MILLION

/** An upstream's words for the log: neither the prompt that they quote, nor an answer that could not be read. */
function wordsOf({ failure }: AttemptRecord, body: JsonObject): string | null {
  if (!failure) return null
  const { kind, code, status, message } = failure
  const mayBeAnswer = kind === 'malformed_response' && code === null && status !== null && status < 300
  return mayBeAnswer ? null : withoutEcho(message, body)
}

const attemptLine = (record: AttemptRecord, body: JsonObject): RequestCompleted['attempts'][number] => ({
  endpoint: record.endpoint.name,
  id: record.endpoint.id,
  provider: record.endpoint.provider,
  tier: record.tier,
  key: record.key,
  outcome: record.outcome,
  scope: record.failure?.scope ?? null,
  structural: record.failure?.structural ?? false,
  status: record.status,
  startedAfterMs: record.startedAfterMs,
  durationMs: record.durationMs,
  message: wordsOf(record, body),
})

/** With the prompt of the attempt that answered, where it was not the first. */
function retryTokensOf({ kind, trail, retryTokens, retryLimit }: PlanResult, usage: Usage | null): number {
  const isRetry = kind === 'answered' && trail.length > 1
  return retryTokens + (isRetry ? (usage?.promptTokens ?? retryLimit.promptTokens) : 0)
}

/** The structured log line of one request, to be written when its answer has ended, however it did. */
export function requestCompleted(completion: Completion): RequestCompleted {
  const { request, result, outcome, code, reader, overheadMs, durationMs } = completion
  const { plan, trail } = result
  const served = trail.at(-1)
  const usage = reader?.progress.usage ?? null
  return {
    event: 'request-completed',
    requestId: request.id,
    alias: request.alias,
    outcome,
    status: result.kind === 'answered' || code === null ? 200 : ERROR_CODES[code].status,
    code,
    stream: request.stream,
    servedBy: result.kind === 'answered' ? result.candidate.endpoint.name : null,
    plan: {
      candidates: plan.candidates.map(({ endpoint, tier, suspect, keys }) => ({
        endpoint: endpoint.name,
        id: endpoint.id,
        tier,
        suspect,
        keys,
      })),
      skipped: plan.skipped.map(({ endpoint, tier, reason, until, cause, param }) => ({
        endpoint: endpoint.name,
        id: endpoint.id,
        tier,
        reason,
        until,
        cause,
        ...(param === undefined ? {} : { param }),
      })),
    },
    attempts: trail.map(record => attemptLine(record, request.body)),
    promptTokensEstimate: request.promptTokens,
    retryTokens: retryTokensOf(result, usage),
    retryTokenBudget: result.retryLimit.budget,
    usage,
    dollars: dollarsOf(usage, result.kind === 'answered' ? result.candidate.endpoint.price : null),
    finishReason: reader?.progress.finish ?? null,
    malformedEvents: reader?.malformedEvents ?? 0,
    firstTokenMs: result.kind === 'answered' && served ? served.startedAfterMs + served.durationMs : null,
    overheadMs,
    durationMs,
  }
}
