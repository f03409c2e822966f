import { createFold, type Fold } from '../../../core/answers/fold/fold-chunks.ts'
import { isBareChunk, textLength } from '../../../core/answers/chunk-size.ts'
import { inspectChunk } from '../../../core/answers/inspect-chunk.ts'
import type { AnswerPart } from '../../../core/answers/stream-reader.ts'
import { unfoldCompletion } from '../../../core/answers/fold/unfold-completion.ts'
import { isJsonObject, type JsonObject } from '../../../core/json.ts'
import { estimateOutputTokens } from '../../../core/tokens/estimate-output-tokens.ts'
import { UpstreamError } from '../upstream/upstream-error.ts'

/** What of an answer has not reached the client yet. */
export type HeldAnswer = {
  /** Throws `BACKSTOP_ANSWER_TOO_LARGE` rather than fill the memory of every other request. */
  add(parts: readonly AnswerPart[]): void
  /** What is to be relayed. */
  parts(): readonly AnswerPart[]
  /** All of it as one completion. */
  completion(): JsonObject
  outputTokens(): number
}

export const MOST_CHARACTERS = 32 * 1024 * 1024
/** Events without output that may wait for the first output. */
const MOST_WAITING = 1_000

const tooLarge = (): UpstreamError => new UpstreamError('BACKSTOP_ANSWER_TOO_LARGE')

const unfold = (completion: JsonObject): readonly AnswerPart[] =>
  unfoldCompletion(completion, { includeUsage: true }).map(json => ({ json, text: null }))

/** Holds a whole answer, added up as it comes, so that it takes no more memory than what it says. */
export function holdWhole(): HeldAnswer {
  let fold: Fold | null = null
  const folded = (): Fold => (fold ??= createFold())
  let characters = 0
  return {
    add(parts) {
      for (const part of parts) {
        if (part.piece) {
          folded().addPiece(part.piece)
          characters += part.piece.text.length
        } else {
          folded().add(part.json)
          characters += textLength(part.json)
        }
      }
      if (characters > MOST_CHARACTERS) throw tooLarge()
    },
    parts: () => unfold(folded().completion()),
    completion: () => folded().completion(),
    outputTokens: () => estimateOutputTokens(folded().completion()),
  }
}

/** Holds an answer that came whole. */
export const holdCompletion = (completion: JsonObject): HeldAnswer => ({
  add: () => undefined,
  parts: () => unfold(completion),
  completion: () => completion,
  outputTokens: () => estimateOutputTokens(completion),
})

/** Holds what comes up to the first output; events that say nothing are dropped, however many. */
export function holdUntilOutput(): HeldAnswer {
  const held: AnswerPart[] = []
  const begun = new Set<unknown>()
  let spoken = false
  let characters = 0

  /** The first chunk of each choice names its role. */
  function begins({ choices }: JsonObject): boolean {
    const before = begun.size
    for (const choice of Array.isArray(choices) ? choices : []) {
      if (isJsonObject(choice)) begun.add(choice.index)
    }
    return begun.size > before
  }

  return {
    add(parts) {
      for (const part of parts) {
        if (part.piece) {
          // It is output, and nobody need parse it to know.
          spoken = true
          held.push(part)
          characters += part.piece.text.length
          continue
        }
        // Behind output, in the same bytes, even a bare chunk may be the usage that was asked for.
        spoken ||= inspectChunk(part.json).choices.some(({ output, finish }) => output || finish !== null)
        if (!begins(part.json) && !spoken && isBareChunk(part.json)) continue
        held.push(part)
        characters += textLength(part.json)
      }
      if (held.length > MOST_WAITING + parts.length || characters > MOST_CHARACTERS) throw tooLarge()
    },
    parts: () => held,
    completion() {
      const fold = createFold()
      for (const { json } of held) fold.add(json)
      return fold.completion()
    },
    outputTokens: () => held.reduce((sum, { json }) => sum + estimateOutputTokens(json), 0),
  }
}

/** Holds parts as they came, for a client that speaks the endpoint's API. */
export function holdNative(): HeldAnswer {
  const held: AnswerPart[] = []
  let characters = 0
  return {
    add(parts) {
      held.push(...parts)
      for (const { text } of parts) characters += text?.length ?? 0
      if (characters > MOST_CHARACTERS) throw tooLarge()
    },
    parts: () => held,
    completion: () => ({}),
    outputTokens: () => held.reduce((sum, { json }) => sum + estimateOutputTokens(json), 0),
  }
}
