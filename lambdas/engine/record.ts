import type { ChatRequest } from '../core/chat-request.ts'
import { ERROR_CODES, type ErrorCode } from '../core/error-codes.ts'
import type { RequestCompleted } from '../core/request-completed.ts'
import type { AttemptRecord } from '../core/trail.ts'
import type { AnswerReader } from './answer-reader.ts'
import type { PlanResult } from './run-plan.ts'

export type Completion = {
  request: ChatRequest
  result: PlanResult
  outcome: RequestCompleted['outcome']
  code: ErrorCode | null
  /** Null where nothing answered. */
  reader: AnswerReader | null
  durationMs: number
}

const attemptLine = (record: AttemptRecord): RequestCompleted['attempts'][number] => ({
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
  message: record.failure?.message ?? null,
})

/** The structured log line of one request, to be written when its answer has ended, however it did. */
export function requestCompleted(completion: Completion): RequestCompleted {
  const { request, result, outcome, code, reader, durationMs } = completion
  const { plan, trail } = result
  const served = trail.at(-1)
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
      skipped: plan.skipped.map(({ endpoint, tier, reason, until, cause }) => ({
        endpoint: endpoint.name,
        id: endpoint.id,
        tier,
        reason,
        until,
        cause,
      })),
    },
    attempts: trail.map(attemptLine),
    promptTokensEstimate: request.promptTokens,
    usage: reader?.progress.usage ?? null,
    finishReason: reader?.progress.finish ?? null,
    malformedEvents: reader?.malformedEvents ?? 0,
    firstTokenMs: result.kind === 'answered' && served ? served.startedAfterMs + served.durationMs : null,
    durationMs,
  }
}
