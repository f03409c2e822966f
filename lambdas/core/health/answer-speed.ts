import type { CounterKind } from './counter-names.ts'

/** How big a prompt is, as far as the time until its first output goes. */
export const PROMPT_SIZES = ['small', 'medium', 'large'] as const
export type PromptSize = (typeof PROMPT_SIZES)[number]

/** Tokens from which on a prompt is no longer small, or medium: agents' prompts are large, and take seconds to read. */
const MEDIUM_TOKENS = 2_000
const LARGE_TOKENS = 16_000

export const promptSizeOf = (promptTokens: number): PromptSize =>
  promptTokens < MEDIUM_TOKENS ? 'small' : promptTokens < LARGE_TOKENS ? 'medium' : 'large'

/** How an answer came. Durations in milliseconds. */
export type AnswerTiming = {
  /** From sending until the first output. */
  firstOutputMs: number
  outputTokens: number
  /** What the rest of the output was waited for. */
  outputMs: number
}

/** What is counted of an answer. */
export type MeasuredAnswer = {
  promptSize: PromptSize
  /** Null where the endpoint shows nothing before its answer is whole. */
  firstOutputMs: number | null
  outputTokens: number
  outputMs: number
  /** Its time to the first output over the usual one; 1 where either is not known. */
  pace: number
}

/** What is usual hides what is new for half a day: a single answer that is slower yet says no more than this. */
const MOST_PACE = 10

/** @param usualMs the usual time to the first output of such a prompt there; null = not known. @param isWhole the answer came in one piece, so that all of its time is that of its output. */
export const measuredAnswer = (
  promptTokens: number,
  isWhole: boolean,
  { firstOutputMs, outputTokens, outputMs }: AnswerTiming,
  usualMs: number | null = null,
): MeasuredAnswer => ({
  promptSize: promptSizeOf(promptTokens),
  firstOutputMs: isWhole ? null : firstOutputMs,
  outputTokens,
  outputMs: isWhole ? firstOutputMs + outputMs : outputMs,
  pace: isWhole || !usualMs ? 1 : Math.min(MOST_PACE, firstOutputMs / usualMs),
})

/** An answer that was asked for as one: of its first output and its speed only their sum is known. */
export function plainAnswer(
  promptTokens: number,
  { firstOutputMs, outputTokens, outputMs }: AnswerTiming,
  usualMs: number | null,
  tokensPerSecond: number | null,
): MeasuredAnswer {
  const expectedMs = usualMs && tokensPerSecond && usualMs + (1_000 * outputTokens) / tokensPerSecond
  const pace = expectedMs ? Math.min(MOST_PACE, (firstOutputMs + outputMs) / expectedMs) : 1
  return { promptSize: promptSizeOf(promptTokens), firstOutputMs: null, outputTokens: 0, outputMs: 0, pace }
}

/** The counter of first outputs by size of the prompt. */
export const FIRST_OUTPUT = {
  small: 'firstSmall',
  medium: 'firstMedium',
  large: 'firstLarge',
} as const satisfies Record<PromptSize, CounterKind>

/** The upper end of the first bin; each further one is wider by the ratio, three for every factor of four. */
const FIRST_BIN_MS = 100
const BIN_RATIO = 4 ** (1 / 3)
/** Holds all above some twelve minutes: longer than any limit. */
const LAST_BIN = 20

/** The bin of a histogram that a duration falls into. */
export function binOf(ms: number): number {
  const bin = Math.floor(Math.log(Math.max(ms, 1) / FIRST_BIN_MS) / Math.log(BIN_RATIO)) + 1
  return Math.max(0, Math.min(LAST_BIN, bin))
}

/** Where a bin begins and ends, in milliseconds. */
export const binEnds = (bin: number): { from: number; to: number } => ({
  from: bin === 0 ? FIRST_BIN_MS / BIN_RATIO : FIRST_BIN_MS * BIN_RATIO ** (bin - 1),
  to: FIRST_BIN_MS * BIN_RATIO ** bin,
})

type Count = { kind: CounterKind; tag?: string; by: number }

/** What an answer adds to the counters of its endpoint. */
export function speedCounts({
  promptSize,
  firstOutputMs,
  outputTokens,
  outputMs,
  pace,
}: MeasuredAnswer): readonly Count[] {
  const first: Count[] =
    firstOutputMs === null
      ? []
      : [{ kind: FIRST_OUTPUT[promptSize], tag: binOf(firstOutputMs).toString(16), by: 1 }]
  const output: Count[] =
    outputTokens <= 0
      ? []
      : [
          { kind: 'outTokens', by: Math.round(outputTokens) },
          { kind: 'outMs', by: Math.max(1, Math.round(outputMs)) },
          { kind: 'outAnswers', by: 1 },
        ]
  return [...first, ...output, { kind: 'latePace', by: Math.round(100 * pace) }]
}
