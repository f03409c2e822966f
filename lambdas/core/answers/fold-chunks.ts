import { createMessageFold, type MessageFold } from './fold-message.ts'
import {
  joinFields,
  joinLists,
  keepFirst,
  keepLast,
  objectJoin,
  type Join,
  type Joins,
} from './join-deltas.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'

type ChoiceFold = { fields: JsonObject; message: MessageFold }

const completeChoice = ([index, { fields, message }]: [number, ChoiceFold]): JsonObject => ({
  ...fields,
  index,
  message: message.message(),
})

const keepLastText: Join = (before, added) => (added === '' ? before : keepLast(before, added))

const CHOICE_JOINS: Joins = {
  finish_reason: keepLastText,
  logprobs: objectJoin({ content: joinLists, refusal: joinLists }),
}

function usageOf({ usage, x_groq: groq }: JsonObject): JsonObject | null {
  if (isJsonObject(usage)) return usage
  return isJsonObject(groq) && isJsonObject(groq.usage) ? groq.usage : null
}

/**
 * Folds `chat.completion.chunk` objects into the `chat.completion` they are the pieces of. Nothing it is given is
 * changed, and nothing it gives changes later.
 */
export function createFold(): { add(chunk: JsonObject): void; completion(): JsonObject } {
  const choices = new Map<number, ChoiceFold>()
  let fields: JsonObject = {}
  let usage: JsonObject | null = null

  function addChoice(choice: Json, place: number): void {
    if (!isJsonObject(choice)) return
    const { index: stated, delta, message, ...rest } = choice
    const index = typeof stated === 'number' ? stated : place
    const fold = choices.get(index) ?? { fields: { finish_reason: null }, message: createMessageFold() }
    choices.set(index, fold)
    fold.fields = joinFields(CHOICE_JOINS, keepLast, fold.fields, rest)
    const part = isJsonObject(delta) ? delta : message
    if (isJsonObject(part)) fold.message.add(part)
  }

  return {
    add(chunk) {
      // Obfuscation is padding against eavesdroppers who count bytes: it belongs to its chunk.
      const { choices: parts, usage: _, object: __, obfuscation: ___, ...rest } = chunk
      fields = joinFields({}, keepFirst, fields, rest)
      usage = usageOf(chunk) ?? usage
      if (Array.isArray(parts)) parts.forEach(addChoice)
    },
    completion() {
      const inOrder = [...choices].sort(([left], [right]) => left - right)
      return {
        ...fields,
        object: 'chat.completion',
        choices: inOrder.map(completeChoice),
        ...(usage === null ? {} : { usage }),
      }
    },
  }
}
