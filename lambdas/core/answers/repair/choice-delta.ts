import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { ANSWER_FIELDS, holdsAnswer, holdsThought, isFilled, THOUGHT_FIELDS } from './output-fields.ts'

/** What one choice has said so far. */
export type Spoken = {
  /** The fields in which output has come. */
  fields: Set<string>
  /** Some of it came as deltas: a `message` repeats it. */
  inDeltas: boolean
  /** The content of choices that send a `message` where a delta belongs. */
  text: string
}

export const nothingSpoken = (): Spoken => ({ fields: new Set(), inDeltas: false, text: '' })

const OUTPUT_FIELDS: readonly string[] = [...THOUGHT_FIELDS, ...ANSWER_FIELDS]
/** A shorter text may come twice by chance. */
const TELLING_LENGTH = 8

const holdsOutput = (message: JsonObject): boolean => holdsAnswer(message) || holdsThought(message)

/** Of a message that repeats what was said: the fields in which nothing was. */
const freshOf = (message: JsonObject, { fields }: Spoken): JsonObject =>
  Object.fromEntries(
    Object.entries(message).filter(([name]) => !OUTPUT_FIELDS.includes(name) || !fields.has(name)),
  )

const withIndexes = (message: JsonObject): JsonObject =>
  Array.isArray(message.tool_calls)
    ? {
        ...message,
        tool_calls: message.tool_calls.map((call: Json, index) =>
          isJsonObject(call) && call.index === undefined ? { ...call, index } : call,
        ),
      }
    : message

/** A message in place of a delta: a piece, or all that was said so far and more. */
function deltaOfMessage(message: JsonObject, spoken: Spoken, isLast: boolean): JsonObject {
  const content = typeof message.content === 'string' ? message.content : ''
  const { text } = spoken
  const grows = text.length > 1 && content.length > text.length && content.startsWith(text)
  const repeats = text !== '' && content === text && (isLast || text.length >= TELLING_LENGTH)
  spoken.text = grows || repeats ? content : text + content
  if (!grows && !repeats) return withIndexes(message)
  const { content: _, ...rest } = withIndexes(freshOf(message, spoken))
  return grows ? { ...rest, content: content.slice(text.length) } : rest
}

/** The delta of a choice, in whatever field it came; what it repeats is left out. Remembers what was said. */
export function deltaOfChoice(choice: JsonObject, spoken: Spoken, isLast: boolean): JsonObject {
  const delta = readDelta(choice, spoken, isLast)
  for (const name of OUTPUT_FIELDS) {
    if (!spoken.fields.has(name) && isFilled(delta[name])) spoken.fields.add(name)
  }
  return delta
}

function readDelta({ delta, message, text }: JsonObject, spoken: Spoken, isLast: boolean): JsonObject {
  if (typeof delta === 'string') return { content: delta }
  if (isJsonObject(delta) && (holdsOutput(delta) || !isJsonObject(message))) {
    spoken.inDeltas ||= holdsOutput(delta)
    return delta
  }
  if (isJsonObject(message)) {
    const said = spoken.inDeltas
      ? withIndexes(freshOf(message, spoken))
      : deltaOfMessage(message, spoken, isLast)
    return isJsonObject(delta) ? { ...delta, ...said } : said
  }
  return typeof text === 'string' ? { content: text } : {}
}
