import type { ChunkView } from '../core/answers/inspect-chunk.ts'
import { createEventTemplate } from '../core/answers/event-template.ts'
import type { AnswerPart } from '../core/answers/stream-reader.ts'
import type { KeyMask } from '../core/failures/secrecy/mask-keys.ts'
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

const EVENT_END = '\n\n'

/** What stands before the data of an event that has nothing else beside it. */
const headOf = ({ raw, data }: RawEvent): string | null =>
  data !== null && raw.endsWith(data + EVENT_END) ? raw.slice(0, -data.length - EVENT_END.length) : null

const hasHead = ({ raw, data }: RawEvent, head: string): boolean =>
  data !== null &&
  raw.length === head.length + data.length + EVENT_END.length &&
  raw.slice(0, head.length) === head

/** @param mask takes the keys out of an event; one that is known holds none */
export function createNativeShape(wire: NativeWire, mask: KeyMask): NativeShape {
  const template = createEventTemplate()
  let learnt: { head: string; chunk: JsonObject; view: ChunkView } | null = null
  /** What stands between two events of one shape may change what the second one means. */
  let follows = false

  const isLike = (event: RawEvent): boolean =>
    learnt !== null && hasHead(event, learnt.head) && template.read(event.data ?? '') !== null

  /** What is not new was in the event that was learnt from, which held no key. */
  const isClean = ({ raw, data }: RawEvent): boolean =>
    template.varying(data ?? '') < (mask.shortest ?? 0) || mask(raw) === raw

  return {
    read(event) {
      follows &&= isLike(event) && isClean(event)
      return follows && learnt ? { part: new KnownPart(event, learnt.chunk, wire), view: learnt.view } : null
    },
    passed(event, json, chunk, view) {
      const { raw, data } = event
      const head = headOf(event)
      if (data === null || head === null || !isPiece(view) || mask(raw) !== raw) return
      if (template.learn(json, data, () => wire.varying(json))) learnt = { head, chunk, view }
      follows = isLike(event)
    },
  }
}
