import { flattenContent } from '../../core/answers/flatten-content.ts'
import { createFold } from '../../core/answers/fold-chunks.ts'
import { fragmentError } from '../../core/routing/fragment-error.ts'
import type { JsonObject } from '../../core/json.ts'
import { normaliseCompletion } from '../../core/answers/normalise-tool-calls.ts'
import type { Outcome } from '../../core/routing/outcome.ts'
import { nameModel } from '../../core/answers/present-chunk.ts'
import type { RequestCompleted } from '../../core/request-completed.ts'
import type { CommittedAnswer } from './attempt.ts'
import { countWaiting } from './count-waiting.ts'
import type { PlanRun } from './plan-when-possible.ts'
import { requestCompleted } from './record.ts'
import { relay, type RelayEnd } from './relay.ts'
import { runPlan, type PlanResult, type PlanTools } from './run-plan.ts'

export type ChatTools = PlanTools & { log(line: RequestCompleted): void }

type Ending = RequestCompleted['outcome']

/** How a request went up to its first byte. */
type Begun = { result: PlanResult; overheadMs: number }
type Answered = Extract<PlanResult, { kind: 'answered' }>

/** The whole answer as one completion: as the upstream sent it, or folded from its chunks. */
function completionOf(answer: CommittedAnswer): JsonObject {
  const fold = createFold()
  if (!answer.reader.completion) for (const { json } of answer.parts) fold.add(json)
  const completion = answer.reader.completion ?? fold.completion()
  return nameModel(flattenContent(normaliseCompletion(completion)), answer.endpoint.model)
}

/** The relayed blocks, and a close that records how the stream ended, whoever ended it. */
function streamAnswer(call: PlanRun, tools: ChatTools, begun: Begun & { result: Answered }) {
  const { answer, trail } = begun.result
  let end: RelayEnd | 'abandoned' = 'abandoned'
  const blocks = relay(answer, {
    includeUsage: call.request.includeUsage,
    describeFailure: failure => fragmentError(trail, failure),
    ended: how => {
      // A departure ends the call upstream, which is no failure of the upstream.
      if (!call.client.aborted) end = how
    },
    clock: tools.clock,
  })
  async function close(): Promise<void> {
    await answer.close()
    const failure = end === 'abandoned' ? null : end
    const outcome = end === 'abandoned' ? 'client-left' : failure ? 'cut' : 'answered'
    record(call, tools, begun, outcome, failure)
  }
  return { blocks, close }
}

/** Tells the fleet's memory how an answer ended; a departed client says nothing about its endpoint. */
function remember({ memory }: ChatTools, { noted, trail }: Answered, outcome: Ending, cut: RelayEnd): void {
  if (cut) memory.failed(noted, cut)
  else if (outcome === 'answered') memory.succeeded(noted, trail.at(-1)?.durationMs ?? 0)
}

function record(
  { request, startedAt }: PlanRun,
  tools: ChatTools,
  { result, overheadMs }: Begun,
  outcome: Ending,
  cut: RelayEnd,
): void {
  const { log, clock } = tools
  const answered = result.kind === 'answered'
  if (answered) remember(tools, result, outcome, cut)
  const served = result.trail.at(-1)
  const trail =
    cut && served
      ? [...result.trail.slice(0, -1), { ...served, outcome: cut.kind, failure: cut }]
      : result.trail
  log(
    requestCompleted({
      request,
      result: { ...result, trail },
      outcome,
      code: answered ? (cut ? 'stream_cut' : null) : result.finalError.code,
      reader: answered ? result.answer.reader : null,
      overheadMs,
      durationMs: clock.now() - startedAt,
    }),
  )
}

/**
 * Answers one chat request: plans, attempts, and hands over a stream to relay, a whole completion, or the error
 * on why nothing answered. One log line is written when the answer has ended.
 */
export async function answerChat(call: PlanRun, tools: ChatTools): Promise<Outcome> {
  const { clock, waitedMs } = countWaiting(tools.clock)
  const result = await runPlan(call, { ...tools, clock })
  const { plan, trail } = result
  const overheadMs = (): number => {
    const inAttemptsMs = trail.reduce((sum, { durationMs }) => sum + durationMs, 0)
    return Math.max(0, clock.now() - call.startedAt - inAttemptsMs - waitedMs())
  }
  if (result.kind === 'failed') {
    const left = result.finalError.code === 'client_left'
    record(call, tools, { result, overheadMs: overheadMs() }, left ? 'client-left' : 'failed', null)
    return { kind: 'failed', plan, trail, finalError: result.finalError }
  }
  const { candidate, answer } = result
  if (call.request.stream) {
    const begun = { result, overheadMs: overheadMs() }
    return { kind: 'streamed', plan, trail, candidate, ...streamAnswer(call, tools, begun) }
  }
  const completion = completionOf(answer)
  const begun = { result, overheadMs: overheadMs() }
  async function close(): Promise<void> {
    await answer.close()
    record(call, tools, begun, call.client.aborted ? 'client-left' : 'answered', null)
  }
  return { kind: 'whole', plan, trail, candidate, completion, close }
}
