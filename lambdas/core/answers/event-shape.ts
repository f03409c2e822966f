import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import type { ChunkView } from './inspect-chunk.ts'

/** What a chunk adds to the one before it where all else is the same: a piece of one text of its one choice. */
export type TextPiece = { choice: number; field: string; text: string }

/** A chunk that differs from one that was read before in a single text. */
export type KnownChunk = {
  /** The same object as a parser makes, made when somebody looks at it. */
  readonly json: JsonObject
  readonly text: string
  readonly view: ChunkView
  readonly piece: TextPiece
  /** The chunk that was read before. */
  readonly like: JsonObject
}

/**
 * Reads the events of a stream that repeat one another but for a piece of text, as nearly all of an answer do, without
 * parsing them.
 */
export type EventShape = {
  /** Null where the event is to be parsed. */
  read(data: string): KnownChunk | null
  /** Learns from an event that needed no repair and is shown as it came. */
  learn(json: JsonObject, data: string, view: ChunkView): void
}

type Shape = {
  before: string
  after: string
  chunk: JsonObject
  choice: JsonObject
  delta: JsonObject
  field: string
  view: ChunkView
  index: number
}

type TextParts = 'chunk' | 'choice' | 'delta' | 'field'

/** Longer events are few, and are measured before they are parsed. */
const MOST_CHARACTERS = 512
/** Text that means itself inside a JSON string. */
// oxlint-disable-next-line no-control-regex -- JSON allows none of them inside a string
const PLAIN = /^[^"\\\u0000-\u001f]+$/
/** To learn costs as much as to parse three events. */
const FIRST_AFTER = 2
const AGAIN_AFTER = 6
const PROBE = 'another text'

const isPlainValue = (value: Json | undefined): boolean => typeof value !== 'object' || value === null

/** The one text of a delta; null where it says anything else. */
function textFieldOf(delta: JsonObject): string | null {
  let found: string | null = null
  for (const name in delta) {
    const value = delta[name]
    if (value === null || value === '' || name === 'role') continue
    if (typeof value !== 'string' || found !== null) return null
    found = name
  }
  return found
}

/** A chunk in which all but the delta of its one choice is a plain value. */
function partsOf(chunk: JsonObject): { choice: JsonObject; delta: JsonObject } | null {
  const { choices } = chunk
  if (!Array.isArray(choices) || choices.length !== 1) return null
  for (const name in chunk) if (name !== 'choices' && !isPlainValue(chunk[name])) return null
  const [choice] = choices
  if (!isJsonObject(choice) || !isJsonObject(choice.delta)) return null
  for (const name in choice) if (name !== 'delta' && !isPlainValue(choice[name])) return null
  return { choice, delta: choice.delta }
}

const withText = ({ chunk, choice, delta, field }: Pick<Shape, TextParts>, text: string): JsonObject => ({
  ...chunk,
  choices: [{ ...choice, delta: { ...delta, [field]: text } }],
})

class ShapedChunk implements KnownChunk {
  readonly text: string
  readonly view: ChunkView
  readonly piece: TextPiece
  readonly like: JsonObject
  readonly #shape: Shape
  #json: JsonObject | null = null

  constructor(shape: Shape, data: string, text: string) {
    this.text = data
    this.view = shape.view
    this.piece = { choice: shape.index, field: shape.field, text }
    this.like = shape.chunk
    this.#shape = shape
  }

  /** Who passes the text on never looks at it. */
  get json(): JsonObject {
    return (this.#json ??= withText(this.#shape, this.piece.text))
  }
}

function shapeOf(chunk: JsonObject, data: string, view: ChunkView): Shape | null {
  const [choiceView] = view.choices
  if (view.usage !== null || view.choices.length !== 1 || !choiceView?.output || choiceView.finish !== null)
    return null
  const parts = partsOf(chunk)
  const field = parts && textFieldOf(parts.delta)
  const text = field === null ? undefined : parts?.delta[field]
  if (!parts || field === null || typeof text !== 'string' || !PLAIN.test(text)) return null
  // An event that holds these words already would prove nothing by them.
  if (data.includes(PROBE)) return null
  const written = `"${text}"`
  const at = data.lastIndexOf(written)
  if (at < 0) return null
  const before = data.slice(0, at + 1)
  const after = data.slice(at + 1 + text.length)
  const shape = { before, after, chunk, ...parts, field, view, index: choiceView.index }
  // Nothing but this text may hang on these characters: not a name, nor another value like it.
  const probed = JSON.stringify(JSON.parse(before + PROBE + after))
  return probed === JSON.stringify(withText(shape, PROBE)) ? shape : null
}

export function createEventShape(): EventShape {
  let shape: Shape | null = null
  let untilLearning = FIRST_AFTER

  return {
    read(data) {
      if (shape === null || data.length > MOST_CHARACTERS) return null
      const { before, after } = shape
      const textLength = data.length - before.length - after.length
      if (textLength <= 0 || !data.startsWith(before) || !data.endsWith(after)) return null
      const text = data.slice(before.length, before.length + textLength)
      if (!PLAIN.test(text)) return null
      return new ShapedChunk(shape, data, text)
    },
    learn(json, data, view) {
      untilLearning -= 1
      if (untilLearning > 0 || data.length > MOST_CHARACTERS) return
      untilLearning = AGAIN_AFTER
      shape = shapeOf(json, data, view) ?? shape
    },
  }
}
