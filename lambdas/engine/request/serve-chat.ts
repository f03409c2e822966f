import type { ChatRequest } from '../../core/chat-request.ts'
import type { Failure } from '../../core/failures/failure.ts'
import { costOfRequest } from '../callers/cost-of-request.ts'
import type { CallerLimits } from '../callers/caller-limits.ts'
import { dollarsOf } from '../../core/cost.ts'
import type { JsonObject } from '../../core/json.ts'
import { stackOf } from '../../core/stack-of.ts'
import { nameModel } from '../../core/answers/present-chunk.ts'
import { planChain, type Plan } from '../../core/routing/plan.ts'
import { stickTo } from '../../core/routing/sticky.ts'
import { countWaiting } from './count-waiting.ts'
import { makePlan } from './make-plan.ts'
import type { Outcome } from './outcome.ts'
import { overheadOf, record, type AnswerEnd, type RecordTools } from './record.ts'
import { pinKey, pinRun } from './pin-run.ts'
import { rememberServer, servedLast } from './stick.ts'
import { relay } from './relay.ts'
import { rememberHolder } from './remember-holder.ts'
import { runPlan, type PlanTools } from './run-plan.ts'
import { UpstreamError } from './upstream/upstream-error.ts'
import type { CommittedAnswer } from './answer/committed-answer.ts'
import { beginRun, type Invocation, type RunTools } from './run.ts'
import type { ResponseMemory } from '../memory/sessions/response-memory.ts'
import type { SessionMemory } from '../memory/sessions/session-memory.ts'
import type { StickyMemory } from '../memory/sessions/sticky-memory.ts'

export type ServeTools = RunTools &
  PlanTools &
  RecordTools & {
    sessions: Pick<SessionMemory, 'finishedHeader'>
    responses: Pick<ResponseMemory, 'holderOf' | 'remember'>
    sticky: Pick<StickyMemory, 'servedLast' | 'remember'>
    limits: Pick<CallerLimits, 'admit'>
  }

/** A whole answer as it came, where that is what the client gets: nobody writes it anew. */
function textOf({ isNative, parts, reader }: CommittedAnswer, shown: JsonObject): string | null {
  if (isNative) return Array.from(parts(), ({ text }) => text ?? '').join('')
  return shown === reader.completion() ? (reader.completionText?.() ?? null) : null
}

/**
 * The way of one request: event → parse → plan → attempt → relay → record. Read this first; each arrow is a file.
 * @param parse reads the request from its event, as the client's API has it.
 * @returns what the client gets; the caller sends it, and then calls its `close`, which records how it ended.
 * @throws GatewayError for a request that gets no plan.
 */
export async function serveChat(
  invocation: Invocation,
  parse: () => Promise<ChatRequest>,
  given: ServeTools,
): Promise<Outcome> {
  const { clock, waitedMs } = countWaiting(given.clock)
  const tools = { ...given, clock }
  const { client } = invocation

  const request = await parse()
  // Read beside the look at the fleet.
  const recalled = servedLast(request, tools)
  const begun = await beginRun(request, invocation, tools)
  const atItsPlace = async (plan: Plan): Promise<Plan> => stickTo(plan, await recalled, begun.snapshot)
  if (request.dryRun) {
    const plan = planChain(request, begun.chain, begun.snapshot, clock.now(), clock.random)
    return { kind: 'planned', request, plan: await atItsPlace(plan) }
  }
  const { run: pinned, holder } = await pinRun(begun, tools.responses)
  const admission = await tools.limits.admit(request.caller.name, costOfRequest(request, begun.chain))
  const run = { ...pinned, admission }
  const limits = admission.states

  // The session's record is read while the plan is made.
  const sessionHeader = tools.sessions.finishedHeader(request.toolRound)
  const planned = await makePlan(run, tools, async plan => pinKey(await atItsPlace(plan), holder))
  const result =
    planned.kind === 'planned' ? await runPlan(run, planned, await sessionHeader, tools) : planned

  const { plan, trail } = result
  const overheadMs = (): number => overheadOf(run, trail, clock.now() - waitedMs())
  if (result.kind === 'failed') {
    record(run, result, { end: null, overheadMs: overheadMs() }, tools)
    return { kind: 'failed', request, plan, trail, limits, finalError: result.finalError }
  }

  const { answer, served } = result
  rememberHolder(request, result, tools.responses)
  const answered = { request, plan, trail, limits, served, isNative: answer.isNative }
  const closeWith = (ownMs: number, endOf: () => AnswerEnd) => async (): Promise<void> => {
    await answer.close()
    const end = endOf()
    record(run, result, { end, overheadMs: ownMs }, tools)
    rememberServer(run, result, end, tools)
  }
  if (!request.stream) {
    const completion = nameModel(answer.completion ?? {}, answer.endpoint.model)
    const close = closeWith(overheadMs(), () => ({ kind: client.aborted ? 'left' : 'complete' }))
    const dollars = dollarsOf(answer.reader.progress.usage, served.endpoint.price)
    return { kind: 'whole', ...answered, completion, text: textOf(answer, completion), dollars, close }
  }
  let end: AnswerEnd = { kind: 'left' }
  const values = relay(answer, clock, how => {
    // A client that disconnects ends the call upstream, which is no failure of the upstream.
    if (!client.aborted) end = how
  })
  const failWriting = (error: unknown): Failure => {
    const failure = answer.failureOf(new UpstreamError('BACKSTOP_INTERNAL'))
    tools.log({ event: 'internal-error', requestId: request.id, error: stackOf(error), begun: true })
    if (!client.aborted) end = { kind: 'cut', failure }
    return failure
  }
  return { kind: 'streamed', ...answered, values, failWriting, close: closeWith(overheadMs(), () => end) }
}
