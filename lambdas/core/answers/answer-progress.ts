import type { ChunkView } from './inspect-chunk.ts'
import type { Usage } from './usage.ts'

/** How far an answer has come. */
export type AnswerProgress = {
  output: boolean
  /** A choice ended in a way that is an answer, if a poor one, with nothing before it. */
  poorAnswer: boolean
  finish: string | null
  /** Choices that have begun and not ended. */
  unfinished: readonly number[]
  /** Choices that have ended: annotations that follow do not begin them anew. */
  finished: readonly number[]
  usage: Usage | null
  /** `[DONE]` was seen. */
  done: boolean
}

export const NO_PROGRESS: AnswerProgress = {
  output: false,
  poorAnswer: false,
  finish: null,
  unfinished: [],
  finished: [],
  usage: null,
  done: false,
}

/** `length` and `content_filter`, also in the words of hosts that pass on what their backend says. */
const POOR_FINISHES: ReadonlySet<string> = new Set([
  'length',
  'max_tokens',
  'model_length',
  'content_filter',
  'safety',
  'recitation',
  'prohibited_content',
])

/** The same list where nothing is new. */
function join(list: readonly number[], more: readonly number[]): readonly number[] {
  const fresh = more.filter(index => !list.includes(index))
  return fresh.length > 0 ? [...list, ...fresh] : list
}

/** Folds one chunk in; the last usage and the last finish reason count. */
export function advance(
  progress: AnswerProgress,
  view: Extract<ChunkView, { kind: 'chunk' }>,
): AnswerProgress {
  const begun = join(progress.unfinished, view.choices)
  const finished = join(progress.finished, view.finished)
  return {
    output: progress.output || view.output,
    poorAnswer: progress.poorAnswer || POOR_FINISHES.has(view.finish?.toLowerCase() ?? ''),
    finish: view.finish ?? progress.finish,
    unfinished: finished.length > 0 ? begun.filter(index => !finished.includes(index)) : begun,
    finished,
    usage: view.usage ?? progress.usage,
    done: progress.done,
  }
}

/** The answer may be shown to the client: something of it exists. */
export function commits({ output, poorAnswer }: AnswerProgress): boolean {
  return output || poorAnswer
}

/** Nothing that belongs to the answer is still to come; usage and `[DONE]` may be. */
export function isFinished({ done, finish, unfinished }: AnswerProgress): boolean {
  return done || (finish !== null && unfinished.length === 0)
}

/**
 * The verdict when nothing more will come: complete means a finish reason or `[DONE]`; neither means truncated, and
 * an end with nothing before it is an empty completion, not an answer.
 */
export function judgeEnd(progress: AnswerProgress): 'complete' | 'truncated' | 'empty' {
  if (!commits(progress)) return 'empty'
  return isFinished(progress) ? 'complete' : 'truncated'
}
