import { isJsonObject, type JsonObject } from '../json.ts'
import { readEventPieces } from './repair/event-pieces.ts'
import { isErrorEvent } from './error-event.ts'
import { mendCompletion } from './repair/mend-completion.ts'
import type { StreamOptions } from './stream-reader.ts'
import { unfoldCompletion } from './fold/unfold-completion.ts'

/** An answer that came whole. */
export type WholeAnswer = {
  completion: JsonObject
  /** Its JSON as it came; null where something in it had to be changed. */
  text: string | null
  /** What it says, in the words of the chat API. */
  view: JsonObject
  /** The chunks in which it could have been streamed. */
  chunks(): readonly JsonObject[]
}

/** Some hosts send a single chunk, or a legacy completion, where a whole answer was asked for. */
const isChoice = (choice: unknown): boolean =>
  isJsonObject(choice) &&
  (isJsonObject(choice.message) || isJsonObject(choice.delta) || typeof choice.text === 'string')

/** The one completion in the body of an answer; null where there is none, or an error beside it. */
export function readWhole(
  text: string,
  { callId, readsToolCalls }: Pick<StreamOptions, 'callId' | 'readsToolCalls'>,
): WholeAnswer | null {
  const pieces = readEventPieces(text.replace(/^\uFEFF/, '')).filter(({ kind }) => kind !== 'done')
  const [piece] = pieces
  if (pieces.length !== 1 || piece?.kind !== 'document' || isErrorEvent(piece.json)) return null
  const { choices } = piece.json
  if (!Array.isArray(choices) || !isChoice(choices[0])) return null
  const completion = mendCompletion(piece.json, callId, readsToolCalls)
  return {
    completion,
    text: completion === piece.json ? piece.text : null,
    view: completion,
    chunks: () => unfoldCompletion(completion, { includeUsage: true }),
  }
}
