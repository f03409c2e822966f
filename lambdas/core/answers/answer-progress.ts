import { isPoorFinish, isWindowFinish } from './finish-reasons.ts'
import type { ChunkView } from './inspect-chunk.ts'
import type { Usage } from './usage.ts'

type ChoiceProgress = {
  /** More than reasoning has come. */
  answered: boolean
  /** Null again as soon as output follows it. */
  finish: string | null
}

/** How far an answer has come. */
export type AnswerProgress = {
  /** How many choices were asked for. */
  readonly wanted: number
  output: boolean
  /** How many events or bodies held output: about as many tokens where an answer comes in pieces. */
  outputEvents: number
  /** A choice ended in a way that is an answer, if a poor one, with nothing before it. */
  poorAnswer: boolean
  /** The last finish reason. */
  finish: string | null
  readonly choices: Map<number, ChoiceProgress>
  usage: Usage | null
  /** Nothing but usage has come since the last output. */
  usageLast: boolean
  /** `[DONE]` was seen, or the answer came whole. */
  done: boolean
}

/** Nothing has come yet. */
export const createProgress = (wanted: number): AnswerProgress => ({
  wanted,
  output: false,
  outputEvents: 0,
  poorAnswer: false,
  finish: null,
  choices: new Map(),
  usage: null,
  usageLast: false,
  done: false,
})

/** Takes one chunk in; the last usage and the last finish reason count. */
export function advance(progress: AnswerProgress, { choices, usage }: ChunkView): void {
  let output = false
  for (const view of choices) {
    const choice = progress.choices.get(view.index) ?? { answered: false, finish: null }
    progress.choices.set(view.index, choice)
    choice.answered ||= view.answer
    if (view.output) choice.finish = null
    choice.finish = view.finish ?? choice.finish
    progress.finish = view.finish ?? progress.finish
    progress.poorAnswer ||= isPoorFinish(view.finish)
    output ||= view.output
  }
  progress.output ||= output
  if (output) progress.outputEvents += 1
  progress.usage = usage ?? progress.usage
  progress.usageLast = !output && (progress.usageLast || usage !== null)
}

/** Takes in a chunk with output that says what the one right before it said, but for its text. */
export function advanceAgain(progress: AnswerProgress): void {
  progress.outputEvents += 1
}

/** The answer may be shown to the client: something of it exists. */
export const commits = ({ output, poorAnswer }: AnswerProgress): boolean => output || poorAnswer

/** More than thoughts has come. */
export const hasAnswered = ({ choices }: AnswerProgress): boolean =>
  [...choices.values()].some(({ answered }) => answered)

/**
 * Nothing more is expected: every choice that was asked for has a finish, with an answer behind it. A finish behind
 * reasoning alone is often only the end of the thought.
 */
export function isSettled({ done, choices, wanted }: AnswerProgress): boolean {
  if (done) return true
  const all = [...choices.values()]
  return (
    all.length > 0 &&
    all.length >= wanted &&
    all.every(({ finish, answered }) => finish !== null && (answered || isPoorFinish(finish)))
  )
}

/** Every choice that has begun has a finish. */
export function isFinished({ choices }: AnswerProgress): boolean {
  const all = [...choices.values()]
  return all.length > 0 && all.every(({ finish }) => finish !== null)
}

/**
 * The verdict when nothing more will come: complete means a finish reason or `[DONE]`; neither means truncated, and
 * an end with nothing before it is an empty completion, not an answer; or a prompt that filled the whole window.
 */
export function judgeEnd(progress: AnswerProgress): 'complete' | 'truncated' | 'empty' | 'too_long' {
  if (!commits(progress)) return isWindowFinish(progress.finish) ? 'too_long' : 'empty'
  return progress.done || isFinished(progress) ? 'complete' : 'truncated'
}
