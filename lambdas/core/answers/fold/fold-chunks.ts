import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import type { TextPiece } from '../event-shape.ts'
import {
  fields,
  firstOrGrowing,
  last,
  list,
  type Accumulator,
  type ObjectAccumulator,
} from './accumulators.ts'
import { createMessageFold, type MessageFold } from './fold-message.ts'

type ChoiceFold = { parts: ObjectAccumulator; message: MessageFold }

/** The last word that says something. */
function lastText(): Accumulator {
  const kept = last()
  return { add: value => kept.add(value === '' ? null : value), value: kept.value }
}

const CHOICE = {
  finish_reason: lastText,
  logprobs: () => fields({ content: list, refusal: list }),
}

function usageOf({ usage, x_groq: groq }: JsonObject): JsonObject | null {
  if (isJsonObject(usage)) return usage
  return isJsonObject(groq) && isJsonObject(groq.usage) ? groq.usage : null
}

export type Fold = {
  add(chunk: JsonObject): void
  /** Adds a chunk that says no more than this beyond the one before it. */
  addPiece(piece: TextPiece): void
  completion(): JsonObject
}

/**
 * Folds normalised `chat.completion.chunk` objects into the `chat.completion` they are the pieces of. Nothing it is
 * given is changed, and nothing it gives changes later.
 */
export function createFold(): Fold {
  const choices = new Map<number, ChoiceFold>()
  const parts = fields({}, firstOrGrowing)
  let usage: JsonObject | null = null

  function addChoice(choice: Json, place: number): void {
    if (!isJsonObject(choice)) return
    const { index: stated, delta, ...rest } = choice
    const index = typeof stated === 'number' ? stated : place
    const fold = choices.get(index) ?? { parts: fields(CHOICE), message: createMessageFold() }
    choices.set(index, fold)
    fold.parts.addFields(rest)
    if (isJsonObject(delta)) fold.message.add(delta)
  }

  return {
    add(chunk) {
      // Obfuscation is padding against eavesdroppers who count bytes: it belongs to its chunk.
      const { choices: pieces, usage: _, object: __, obfuscation: ___, ...rest } = chunk
      parts.addFields(rest)
      usage = usageOf(chunk) ?? usage
      if (Array.isArray(pieces)) pieces.forEach(addChoice)
    },
    addPiece({ choice, field, text }) {
      choices.get(choice)?.message.add({ [field]: text })
    },
    completion() {
      const inOrder = [...choices].sort(([left], [right]) => left - right)
      return {
        ...parts.object(),
        object: 'chat.completion',
        choices: inOrder.map(([index, choice]) => ({
          finish_reason: null,
          ...choice.parts.object(),
          index,
          message: choice.message.message(),
        })),
        ...(usage === null ? {} : { usage }),
      }
    },
  }
}
