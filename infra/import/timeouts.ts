import type { JsonObject } from '../../lambdas/core/json.ts'
import { SETTINGS } from '../../lambdas/core/settings/settings.ts'

/** Longer waits than this for a model that says nothing only delay the fallback. */
const PATIENCE_MS = 60_000
const {
  first_output_timeout_ms: firstOutput,
  stream_total_ms: streamTotal,
  answer_total_ms: answerTotal,
} = SETTINGS

const within = (ms: number, { min, max }: { min: number; max: number }): number =>
  Math.min(Math.max(Math.round(ms), min), max)

/**
 * One timeout for everything, as other gateways have it, as limits of an endpoint. It is how long a model may say
 * nothing; a long one is a limit of whole answers, but on hosts of one's own, which may have to load the model first.
 */
export function endpointTimeouts(ms: number, isOwnNetwork: boolean): JsonObject {
  return {
    ...((ms <= PATIENCE_MS || isOwnNetwork) && { firstOutputTimeoutMs: within(ms, firstOutput) }),
    ...(ms > answerTotal.default && {
      totalTimeoutMs: within(Math.max(ms, streamTotal.default), streamTotal),
    }),
  }
}

/** The same for the whole gateway. */
export function timeoutSettings(ms: number): JsonObject {
  return {
    ...(ms <= PATIENCE_MS && { first_output_timeout_ms: within(ms, firstOutput) }),
    ...(ms > answerTotal.default && { answer_total_ms: within(ms, answerTotal) }),
  }
}

/** The setting that lets an endpoint use its whole time; none where the default suffices. */
export function deadlineFor(firstOutputs: readonly number[]): JsonObject {
  const { first_byte_deadline_ms: deadline } = SETTINGS
  const longest = Math.max(0, ...firstOutputs)
  return longest > deadline.default ? { first_byte_deadline_ms: within(longest, deadline) } : {}
}

export const TIMEOUT_ADVICE =
  'it limits how long a model may say nothing (firstOutputTimeoutMs) up to 60 s, and on your own hosts; a longer one ' +
  'limits whole answers, so that a silent endpoint does not delay the fallback.'
