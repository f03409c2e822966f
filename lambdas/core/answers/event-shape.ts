import { isJsonObject, parseJsonObject, type Json, type JsonObject } from '../json.ts'
import type { KeyMask } from '../failures/secrecy/mask-keys.ts'
import { createEventTemplate, type Path } from './event-template.ts'
import type { ChunkView } from './inspect-chunk.ts'

/** What a chunk adds to the one before it where all else is the same: a piece of one text of its one choice. */
export type TextPiece = { choice: number; field: string; text: string }

/** A chunk that differs from one that was read before in a single text. */
export type KnownChunk = {
  /** Made when somebody looks at it. */
  readonly json: JsonObject
  readonly text: string
  readonly view: ChunkView
  readonly piece: TextPiece
  /** The chunk that was read before. */
  readonly like: JsonObject
}

/** Reads the events of a stream that repeat one another but for a piece of text without parsing them. */
export type EventShape = {
  /** Null where the event is to be parsed, or holds a key. */
  read(data: string): KnownChunk | null
  /** Learns from an event that needed no repair and is shown as it came. */
  learn(json: JsonObject, data: string, view: ChunkView): void
}

type Shape = { chunk: JsonObject; view: ChunkView; choice: number; field: string }

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

/** The delta of a chunk in which all but that of its one choice is a plain value. */
function onlyDeltaOf(chunk: JsonObject): JsonObject | null {
  const { choices } = chunk
  if (!Array.isArray(choices) || choices.length !== 1) return null
  for (const name in chunk) if (name !== 'choices' && !isPlainValue(chunk[name])) return null
  const [choice] = choices
  if (!isJsonObject(choice) || !isJsonObject(choice.delta)) return null
  for (const name in choice) if (name !== 'delta' && !isPlainValue(choice[name])) return null
  return choice.delta
}

function shapeOf(chunk: JsonObject, view: ChunkView): Shape | null {
  const [choiceView] = view.choices
  if (view.usage !== null || view.choices.length !== 1 || !choiceView?.output || choiceView.finish !== null)
    return null
  const delta = onlyDeltaOf(chunk)
  const field = delta && textFieldOf(delta)
  return field === null ? null : { chunk, view, choice: choiceView.index, field }
}

/** Padding against eavesdroppers who count bytes says nothing. */
const paddingOf = ({ obfuscation }: JsonObject): readonly Path[] =>
  typeof obfuscation === 'string' ? [['obfuscation']] : []

const meaningOf = (written: string): string => (written.includes('\\') ? JSON.parse(`"${written}"`) : written)

class ShapedChunk implements KnownChunk {
  readonly text: string
  readonly view: ChunkView
  readonly piece: TextPiece
  readonly like: JsonObject
  #json: JsonObject | null = null

  constructor({ chunk, view, choice, field }: Shape, data: string, text: string) {
    this.text = data
    this.view = view
    this.piece = { choice, field, text: meaningOf(text) }
    this.like = chunk
  }

  /** Who passes the text on never looks at it. */
  get json(): JsonObject {
    return (this.#json ??= parseJsonObject(this.text) ?? this.like)
  }
}

/** @param mask takes the keys out of an event; one that is known holds none */
export function createEventShape(mask: KeyMask): EventShape {
  const template = createEventTemplate()
  let shape: Shape | null = null

  return {
    read(data) {
      const text = template.read(data)
      if (text === null || shape === null) return null
      // What is not new was in the event that was learnt from, which held no key.
      const isClean = template.varying(data) < (mask.shortest ?? 0) || mask(data) === data
      return isClean ? new ShapedChunk(shape, data, text) : null
    },
    learn(json, data, view) {
      let found: Shape | null = null
      const hasLearnt = template.learn(json, data, () => {
        found = shapeOf(json, view)
        return found && [['choices', 0, 'delta', found.field], ...paddingOf(json)]
      })
      if (hasLearnt) shape = found
    },
  }
}
