import type { Endpoint } from '../endpoint.ts'
import type { Settings } from '../settings/settings.ts'

/** The time limits of one attempt, in milliseconds. */
export type AttemptLimits = {
  connectMs: number
  /** From sending until output that commits. */
  firstOutputMs: number
  /** After so long without a sign of life it counts as failed for others, although this request waits on; null = never. */
  silenceMs: number | null
  /** Between data events after the first output. */
  idleMs: number
  /** A whole (held back) answer, from its first output. */
  answerTotalMs: number
  /** A stream in all, from sending. */
  streamTotalMs: number
  /** That is all that the platform gives, and less than the limit would be. */
  endsWithPlatform?: boolean
}

type AttemptTiming = {
  endpoint: Endpoint
  settings: Settings
  /** How long its first output is waited for while another endpoint could answer. */
  usualMs: number
  /** Since the request began. */
  elapsedMs: number
  /** What the platform still gives us. */
  remainingMs: number
  /** How many candidates may still be called after this one. */
  waiting: number
  /** The fleet is: what does not answer soon is left sooner for what may. */
  degraded: boolean
  /** The longest output that the request allows, in tokens; infinite where it names no limit. */
  mostTokens: number
}

/** Of the usual time for the first output, while the fleet is degraded. */
const DEGRADED_SHARE = 0.5

/** A slow model's time for one token: what an endpoint may take that shows nothing before its answer is whole. */
const TOKEN_MS = 50

/** What an endpoint is waited for that shows nothing, while another one could answer. */
const MOST_TOKENS_WAITED_FOR = 100

/** Silence would be told too late from an answer that may be as long as this. */
export const hidesSilence = (mostTokens: number): boolean => mostTokens > MOST_TOKENS_WAITED_FOR

/** How much of the time for the client's first byte is left, in milliseconds; never negative. */
export function deadlineLeftMs(settings: Settings, elapsedMs: number): number {
  return Math.max(0, settings.first_byte_deadline_ms - elapsedMs)
}

/**
 * The limits of an attempt: what was declared for its endpoint, else the settings. The last candidate gets what is
 * left of the deadline, because no other endpoint could use the time; a declared first-output limit may go past the
 * deadline, because reasoning models need minutes. While the fleet is degraded, all but the last have half of the usual time, unless
 * theirs was declared. Everything ends before the platform ends us.
 */
export function attemptLimits({
  endpoint,
  settings,
  usualMs,
  elapsedMs,
  remainingMs,
  waiting,
  degraded,
  mostTokens,
}: AttemptTiming): AttemptLimits {
  const { timeouts } = endpoint
  const left = deadlineLeftMs(settings, elapsedMs)
  // Where time is short, a silent endpoint must not use up what the ones behind it need.
  const share = left / (waiting + 1)
  const patienceMs = usualMs * (degraded ? DEGRADED_SHARE : 1)
  const usual = waiting === 0 ? left : Math.min(patienceMs, share)
  const bounded = (ms: number): number => Math.max(1, Math.min(ms, remainingMs))
  const answerTotalMs = timeouts.totalMs ?? settings.answer_total_ms
  const firstOutputMs = timeouts.firstOutputMs ?? usual
  // Of an answer that comes whole the first output is the last; a short one that is still not there is silence.
  const wholeMs = Math.max(firstOutputMs, settings.first_output_timeout_ms) + mostTokens * TOKEN_MS
  const streamTotalMs = timeouts.totalMs ?? settings.stream_total_ms
  const isDeclared = timeouts.firstOutputMs !== undefined || endpoint.stream === false
  const silenceMs = Math.max(settings.first_output_timeout_ms, usualMs)
  const isPatient = !isDeclared && bounded(firstOutputMs) > silenceMs
  return {
    connectMs: bounded(timeouts.connectMs ?? settings.connect_timeout_ms),
    firstOutputMs: bounded(endpoint.stream === false ? Math.min(answerTotalMs, wholeMs) : firstOutputMs),
    silenceMs: isPatient ? silenceMs : null,
    idleMs: bounded(timeouts.idleMs ?? settings.idle_timeout_ms),
    answerTotalMs: bounded(answerTotalMs),
    streamTotalMs: bounded(streamTotalMs),
    endsWithPlatform: streamTotalMs > remainingMs,
  }
}
