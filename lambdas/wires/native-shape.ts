import type { ChunkView } from '../core/answers/inspect-chunk.ts'
import { createEventTemplate } from '../core/answers/event-template.ts'
import type { AnswerPart } from '../core/answers/stream-reader.ts'
import { parseJsonObject, type JsonObject } from '../core/json.ts'
import type { RawEvent } from '../sse/raw-event-reader.ts'
import type { NativeWire } from './native-wire.ts'

/** An event that passes as it came, and says what the one before it said, but for its text. */
export type KnownEvent = { part: AnswerPart; view: ChunkView }

/** Knows the events of a stream in a client's own API that repeat the one right before them but for a piece of text. */
export type NativeShape = {
  /** Null where the event is to be parsed, as is the next one then. */
  read(event: RawEvent): KnownEvent | null
  /** Told of each event that was parsed and passes as it came. */
  passed(event: RawEvent, json: JsonObject, chunk: JsonObject, view: ChunkView): void
}

/** It has output, and nothing else that is of any consequence. */
const isPiece = ({ choices: [choice], usage }: ChunkView): boolean =>
  usage === null && choice?.output === true && choice.finish === null

class KnownPart implements AnswerPart {
  readonly text: string
  readonly like: JsonObject
  readonly #data: string
  readonly #wire: NativeWire

  constructor({ raw, data }: RawEvent, like: JsonObject, wire: NativeWire) {
    this.text = raw
    this.like = like
    this.#data = data ?? ''
    this.#wire = wire
  }

  /** Who passes the event on never looks at it. */
  get json(): JsonObject {
    const event = parseJsonObject(this.#data)
    const chunk = event && this.#wire.readEvent(event, true)
    return typeof chunk === 'object' ? chunk : this.like
  }
}

export function createNativeShape(wire: NativeWire): NativeShape {
  const template = createEventTemplate()
  let learnt: { name: string | null; chunk: JsonObject; view: ChunkView } | null = null
  /** What stands between two events of one shape may change what the second one means. */
  let follows = false

  return {
    read(event) {
      const { event: name, data } = event
      follows &&= data !== null && name === learnt?.name && template.read(data) !== null
      if (!follows || learnt === null) return null
      return { part: new KnownPart(event, learnt.chunk, wire), view: learnt.view }
    },
    passed({ event: name, data }, json, chunk, view) {
      if (data === null || !isPiece(view)) return
      if (template.learn(json, data, () => wire.varying(json))) learnt = { name, chunk, view }
      follows = name === learnt?.name && template.read(data) !== null
    },
  }
}
