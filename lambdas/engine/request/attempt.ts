import { commits } from '../../core/answers/answer-progress.ts'
import type { AttemptLimits } from '../../core/routing/budget.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import type { Failure } from '../../core/failures/failure.ts'
import type { JsonObject } from '../../core/json.ts'
import { createKeyHider } from '../../core/failures/secrecy/hide-keys.ts'
import { createKeyMask } from '../../core/failures/secrecy/mask-keys.ts'
import type { Usage } from '../../core/answers/usage.ts'
import type { Clock } from '../../platform/clock.ts'
import { classify } from '../../providers/classify.ts'
import type { SignRequest } from '../../providers/sign-request.ts'
import { upstreamTarget } from '../../providers/upstream-target.ts'
import type { Wire } from '../../wires/wire.ts'
import { createAnswerReader, type AnswerReader } from './answer/answer-reader.ts'
import type { CommittedAnswer } from './answer/committed-answer.ts'
import type { Refuse } from './answer/read-body.ts'
import { callUpstream, type Agents, type UpstreamResponse } from './upstream/call-upstream.ts'
import { assertComplete, nextParts, watchNext } from './answer/read-on.ts'
import {
  holdCompletion,
  holdNative,
  holdUntilOutput,
  holdWhole,
  type HeldAnswer,
} from './answer/held-answer.ts'
import type { NativeAttempt } from './native-attempt.ts'
import { createNativeReader } from './answer/native-reader.ts'
import { drainResponse, readText } from './answer/response-body.ts'
import { transportErrorOf } from './upstream/proxy-error.ts'
import { RefusedError, UpstreamError } from './upstream/upstream-error.ts'
import { createWatchdog, type Watchdog } from './upstream/watchdog.ts'

export type AttemptCall = {
  endpoint: Endpoint
  /** The API in which it is called. */
  wire: Wire
  /** The provider key itself; null where none is sent. */
  secret: string | null
  /** Keys that the client showed: none of them may come back. */
  presentedKeys?: readonly string[]
  /** As this wire has it, and not yet fitted to the endpoint. */
  body: JsonObject
  /** How the endpoint is called instead, in the client's own API. */
  native?: NativeAttempt | null
  /** Sent beside what the endpoint itself wants. */
  headers?: Readonly<Record<string, string>>
  /** It must reach the upstream at most once: no connection is used that may be stale. */
  sentOnce?: boolean
  /** The whole answer must be there before it counts: nothing reaches the client until then. */
  hold: boolean
  limits: AttemptLimits
  /** Called when the first output has come, also where the answer is held. */
  onOutput?: (() => void) | undefined
  /** Called where the endpoint has given no sign of life for `limits.silenceMs`; the call goes on. */
  onSilence?: (failure: Failure) => void
  /** Aborts when the client leaves. */
  client: AbortSignal
  /** Aborts when the gateway itself is about to be stopped. */
  shutdown?: AbortSignal | undefined
}

/** What came of an answer before it failed. */
export type Received = { usage: Usage | null; outputTokens: number }

export type AttemptResult =
  | {
      kind: 'failed'
      failure: Failure
      /** Of the response; empty where none came. */
      headers: Readonly<Record<string, string>>
      outputStarted: boolean
      received: Received
    }
  | { kind: 'committed'; answer: CommittedAnswer }

export type AttemptTools = {
  agents: Agents
  clock: Clock
  sign: SignRequest
  /** Every key in use. */
  secrets(): readonly string[]
}

export const MAX_ERROR_BYTES = 64 * 1024
/** A refusal has said what matters with its status; its body is not worth the time of the next endpoint. */
const ERROR_BODY_MS = 2_000

/** Reads into `held` until the answer commits: at its first output, or (held) at its end. Returns when output first came. */
async function readUntilCommit(
  call: AttemptCall,
  reader: AnswerReader,
  held: HeldAnswer,
  watchdog: Watchdog,
  clock: Clock,
): Promise<number> {
  let outputAt: number | null = null
  for (;;) {
    // Behind an answer that came whole nothing is waited for.
    if (outputAt !== null && !reader.completion()) {
      const endsAt = outputAt + call.limits.answerTotalMs
      watchNext({ watchdog, limits: call.limits, reader }, endsAt - clock.now())
    }
    const parts = await nextParts(reader)
    if (!parts) {
      assertComplete(reader)
      return outputAt ?? clock.now()
    }
    // What came whole need not be added up.
    if (!call.hold || !reader.completion()) held.add(parts)
    if (outputAt === null && commits(reader.progress)) {
      outputAt = clock.now()
      call.onOutput?.()
    }
    if (!call.hold && outputAt !== null) return outputAt
  }
}

/**
 * Asks one endpoint once. Returns either a Failure, with nothing shown to the client, or a committed answer. Never
 * throws; leaves no timer, listener or socket behind, but for the committed answer, which its owner closes.
 */
export async function attempt(
  call: AttemptCall,
  { agents, clock, sign, secrets }: AttemptTools,
): Promise<AttemptResult> {
  const { endpoint, wire, limits, secret, native = null, presentedKeys = [] } = call
  const sent = secret === null ? presentedKeys : [secret, ...presentedKeys]
  const mask = createKeyMask(sent)
  const stream = endpoint.stream !== false
  const watchdog = createWatchdog(call.client, clock, call.shutdown)
  const beganAt = clock.now()
  const endsAt = beganAt + limits.streamTotalMs
  let response: UpstreamResponse | null = null
  let reader: AnswerReader | null = null
  const held: HeldAnswer = native ? holdNative() : call.hold ? holdWhole() : holdUntilOutput()

  function heldOf(from: AnswerReader | null): HeldAnswer {
    const completion = call.hold ? (from?.completion() ?? null) : null
    return completion ? holdCompletion(completion) : held
  }

  // No key may be read as part of what the upstream says: before anything else does, its words are without any.
  let hider: ((words: string) => string) | null = null
  const hide = (words: string): string => (hider ??= createKeyHider([...sent, ...secrets()]))(words)
  const observe = (body: string | null, networkError: string | null, inStream: boolean): Failure =>
    classify({
      provider: endpoint.like ?? endpoint.provider,
      status: response?.status ?? null,
      headers: Object.fromEntries(
        Object.entries(response?.headers ?? {}).map(([name, value]) => [name, hide(value)]),
      ),
      body: body === null ? null : hide(body.slice(0, MAX_ERROR_BYTES)),
      networkError,
      inStream,
      now: clock.now(),
    })
  const refuse: Refuse = (body, inStream) => new RefusedError(observe(body, null, inStream))
  const failureOf = (error: unknown): Failure =>
    error instanceof RefusedError
      ? error.failure
      : observe(null, transportErrorOf(error) ?? 'BACKSTOP_MALFORMED', reader?.progress.output ?? false)
  const close = async (): Promise<void> => {
    watchdog.release()
    if (response && reader?.progress.done) await drainResponse(response.body, reader, clock)
    else response?.body.destroy()
  }

  const { onSilence } = call
  const heard =
    onSilence && limits.silenceMs !== null
      ? clock.after(limits.silenceMs, () => onSilence(observe(null, 'BACKSTOP_FIRST_OUTPUT_TIMEOUT', false)))
      : (): void => undefined

  try {
    watchdog.arm(limits.firstOutputMs, 'BACKSTOP_FIRST_OUTPUT_TIMEOUT')
    const target = native?.target ?? upstreamTarget(endpoint, secret, wire.path)
    const body = Buffer.from(native?.body ?? JSON.stringify(wire.fit(call.body, endpoint, { stream })))
    const { like: provider = endpoint.provider } = endpoint
    const signed =
      secret === null ? await sign({ ...target, provider, body, at: clock.now() }) : target.headers
    const headers = { ...call.headers, ...wire.headers, ...signed }
    const { connectMs } = limits
    const fresh = call.sentOnce ?? false
    response = await callUpstream(
      { ...target, headers, method: 'POST', body, connectMs, fresh, signal: watchdog.signal },
      agents,
      clock,
    )
    heard()
    if (response.status < 200 || response.status > 299) {
      const leftMs = beganAt + limits.firstOutputMs - clock.now()
      watchdog.arm(Math.max(1, Math.min(ERROR_BODY_MS, leftMs)), 'BACKSTOP_FIRST_OUTPUT_TIMEOUT')
      const text = await readText(response.body, MAX_ERROR_BYTES)
      throw call.client.aborted ? new UpstreamError('ABORT_ERR') : refuse(text, false)
    }
    const { n, tools } = call.body
    const seed = clock.random().toString(36).slice(2, 12)
    reader = native
      ? createNativeReader(response.body, native.wire, refuse, { whole: native.whole, mask, hide })
      : createAnswerReader(response.body, wire, refuse, mask, {
          held: call.hold,
          wanted: typeof n === 'number' ? n : 1,
          callId: (choice, position) => `call_${seed}${choice}x${position}`,
          readsToolCalls: Array.isArray(tools),
        })
    const outputAt = await readUntilCommit(call, reader, held, watchdog, clock)
    watchdog.disarm()
    const { status, headers: responseHeaders } = response
    const shown = heldOf(reader)
    return {
      kind: 'committed',
      answer: {
        endpoint,
        isNative: native !== null,
        status,
        headers: responseHeaders,
        timing: { firstOutputMs: outputAt - beganAt, outputMs: clock.now() - outputAt },
        parts: shown.parts,
        completion: call.hold ? shown.completion() : null,
        reader,
        watchdog,
        limits,
        endsAt,
        failureOf,
        close,
      },
    }
  } catch (error) {
    heard()
    const failure = failureOf(error)
    await close()
    const received = { usage: reader?.progress.usage ?? null, outputTokens: heldOf(reader).outputTokens() }
    const outputStarted = reader?.progress.output ?? false
    return { kind: 'failed', failure, headers: response?.headers ?? {}, outputStarted, received }
  }
}
