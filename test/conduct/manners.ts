import type { Reply } from './ask-once.ts'
import { OUTAGE_MS, POLICY_REASON, PREFILL_REASON, RETRY_AFTER_SECONDS } from './breakages.ts'
import type { Call } from './raw-server.ts'
import { PROMPT_TOKENS, TOKENS } from './voices/words.ts'

/** What one scenario showed, at the client and at the server. */
export type Observed = {
  replies: readonly Reply[]
  primary: readonly Call[]
  fallback: readonly Call[]
  fallbackModel: string
  /** What became of a millisecond of the catalogue. */
  pace: number
}

/** One rule of good conduct: a complaint where it was broken, else null. */
export type Manner = (observed: Observed) => string | null

const SECOND = 1_000
/** The clocks of two machines, and a timer, may be off by this. */
const SLACK_MS = 20
const PROMPT_CALLS = 4
const MOST_CALLS = 6
const FIRST_SECONDS_MS = 3 * SECOND
const FIRST_TOKEN_LIMIT_MS = 15 * SECOND
const BACK_WITHIN_MS = 16 * SECOND
/** Fifteen requests fall into the outage: more than a call for every second one is no rest. */
const MOST_CALLS_IN_OUTAGE = 8

const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`)

export const retryAfterHonoured: Manner = ({ primary: [first, second] }) => {
  if (!first || !second) return null
  const waited = second.at - first.at
  return waited + SLACK_MS < RETRY_AFTER_SECONDS * SECOND ? `asked again after ${waited} ms` : null
}

export const notHammered: Manner = ({ primary }) => {
  const begin = primary[0]?.at ?? 0
  const prompt = primary.filter(({ at }) => at - begin <= FIRST_SECONDS_MS).length
  if (prompt > PROMPT_CALLS) return `asked the primary ${times(prompt)} within 3 s`
  return primary.length > MOST_CALLS ? `asked the primary ${times(primary.length)}` : null
}

export const asksOnce: Manner = ({ primary }) =>
  primary.length === 1 ? null : `asked the primary ${times(primary.length)}`

/** A lone 500 passes: going elsewhere at once gives up a better answer for nothing. */
export const retriedOnce: Manner = ({ primary, fallback }) => {
  if (fallback.length > 0) return 'went to the fallback after a lone 500'
  return primary.length === 2 ? null : `asked the primary ${times(primary.length)}`
}

/** What can be read in spite of its flaw needs nobody else. */
export const answersFirstTry: Manner = ({ primary, fallback }) =>
  primary.length === 1 && fallback.length === 0 ? null : 'asked again for what it could have read'

export const givesUpOnSilence: Manner = ({ primary: [call], pace }) => {
  if (!call) return null
  if (call.leftAt === null) return 'never let go of the silent call'
  const heldMs = call.leftAt - call.at
  return heldMs < FIRST_TOKEN_LIMIT_MS * pace ? null : `waited ${Math.round(heldMs)} ms for a first token`
}

export const notShoppedAround: Manner = ({ replies: [reply], fallback }) => {
  if (fallback.length > 0) return 'took a refused prompt to the fallback'
  return reply?.answer?.error?.message.includes(POLICY_REASON) ? null : 'kept the reason of the refusal back'
}

export const tellsTheRealFailure: Manner = ({ replies: [reply] }) =>
  reply?.answer?.error?.message.includes(PREFILL_REASON)
    ? 'masked the real failure with its own prefill'
    : null

export const reportsItsAnswerer: Manner = ({ replies: [reply], fallbackModel }) => {
  if (reply?.model !== fallbackModel) return `named ${reply?.model ?? 'nobody'} as the model`
  return reply.totalTokens === PROMPT_TOKENS + TOKENS ? null : 'did not report the usage'
}

export const sparesTheIll: Manner = ({ primary, pace }) => {
  const begin = primary[0]?.at ?? 0
  const calls = primary.filter(({ at }) => at - begin < OUTAGE_MS * pace).length
  return calls <= MOST_CALLS_IN_OUTAGE ? null : `asked the primary ${times(calls)} in its outage`
}

/** Milliseconds of the catalogue from the recovery to the first call after it; null = there was none. */
export function backAfterMs({ primary, pace }: Observed): number | null {
  const recoveredAt = (primary[0]?.at ?? 0) + OUTAGE_MS * pace
  const back = primary.find(({ at }) => at >= recoveredAt)
  return back ? (back.at - recoveredAt) / pace : null
}

export const backSoon: Manner = observed => {
  const afterMs = backAfterMs(observed)
  if (afterMs === null) return 'never came back to the primary'
  return afterMs <= BACK_WITHIN_MS ? null : `came back after ${Math.round(afterMs / SECOND)} s`
}
