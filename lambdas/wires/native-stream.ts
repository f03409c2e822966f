import { advance, createProgress, hasAnswered, type AnswerProgress } from '../core/answers/answer-progress.ts'
import { inspectChunk } from '../core/answers/inspect-chunk.ts'
import { isForeign } from '../core/answers/error-event.ts'
import { readEventPieces } from '../core/answers/repair/event-pieces.ts'
import { holdsLostOutput } from '../core/answers/repair/lost-output.ts'
import type { AnswerPart, StreamFault } from '../core/answers/stream-reader.ts'
import { errorWithin } from '../core/failures/envelope/error-description.ts'
import type { KeyMask } from '../core/failures/secrecy/mask-keys.ts'
import { isJsonObject, parseJsonObject, type JsonObject } from '../core/json.ts'
import { formatNamedEvent } from '../sse/format-event.ts'
import type { RawEvent } from '../sse/raw-event-reader.ts'
import { createNativeShape } from './native-shape.ts'
import type { Mended, NativeFold, NativeWire } from './native-wire.ts'
import { strayLines, tellsOfError } from './odd-event.ts'

/** What one event brings: the bytes to pass on, beside what they say in the words of the chat API. */
type Brought = { parts: readonly AnswerPart[]; fault: StreamFault | null }

export type NativeStream = {
  add(event: RawEvent): Brought
  readonly progress: AnswerProgress
  /** Events that were left out because no client can read them. */
  malformed(): number
  /** The id by which a later request may refer to the answer. */
  answerId(): string | null
  /** The event by which the upstream itself broke the answer off; null where clients would not see it as one. */
  errorEvent(): string | null
}

/** What lines say that are no event. */
export const SILENT: JsonObject = { choices: [] }
const DONE = '[DONE]'
const ERROR_TYPES: ReadonlySet<unknown> = new Set(['error', 'response.failed'])

const typeOf = ({ type }: JsonObject): string | null => (typeof type === 'string' ? type : null)

const SHORTEST_LINE = 8

function eventOf(json: JsonObject): { data: string; text: string } {
  const data = JSON.stringify(json)
  return { data, text: formatNamedEvent(typeOf(json) ?? 'message', data) }
}

/** An error as one, also where its host writes nothing around it. */
function asError(words: string): string {
  const json = parseJsonObject(words)
  return json && errorWithin(json) === undefined ? `{"error":${words}}` : words
}

function isForeignText(data: string): boolean {
  const json = parseJsonObject(data)
  return json ? isForeign(json) : false
}

/** A response that failed repeats all of its request: only its error is the upstream's word. */
function failedResponse({ type, response }: JsonObject): string | null {
  if (!isJsonObject(response) || !isJsonObject(response.error)) return null
  return JSON.stringify({ type, response: { status: response.status, error: response.error } })
}

/**
 * Reads the events of one answer in the client's own API. They stay as they came, but for what every client chokes on:
 * an event that is no JSON is left out where no output is lost with it, events that are glued together are parted, and
 * names and pieces are added that clients of this API go by. What is no event and tells of an error is one.
 * @param fold takes the events in, where the client wants none of them but what they add up to
 * @param mask takes the keys out of an event: parts that repeat another hold none
 */
export function createNativeStream(wire: NativeWire, fold: NativeFold | null, mask: KeyMask): NativeStream {
  const progress = createProgress(1)
  const shape = fold === null ? createNativeShape(wire, mask) : null
  const mend = wire.createMender?.() ?? ((): Mended => ({}))
  let malformed = 0
  let answerId: string | null = null
  let errorEvent: string | null = null
  /** Said among the events, and no event: the error where the answer ends and does not say how. */
  let words: string | null = null

  function textOf({ raw, event }: RawEvent, json: JsonObject): string {
    const type = typeOf(json)
    const isNamed = event !== null || type === null || !wire.goesByNames
    return isNamed ? raw : `event: ${type}\n${raw.replace(/^\uFEFF/, '')}`
  }

  function leaveOut(data: string): Brought {
    malformed += 1
    if (holdsLostOutput(data)) return { parts: [], fault: { kind: 'lost' } }
    if (tellsOfError(data)) return { parts: [], fault: { kind: 'refused', words: asError(data) } }
    if (isForeignText(data)) words ??= asError(data)
    return { parts: [], fault: null }
  }

  /** Lines that are no event pass as they came, unless they tell why there are no more. */
  function passLines(raw: string): Brought {
    const stray = raw.length < SHORTEST_LINE || raw.startsWith(':') ? '' : strayLines(raw)
    if (stray !== '' && tellsOfError(stray)) {
      return { parts: [], fault: { kind: 'refused', words: asError(stray) } }
    }
    return { parts: [{ json: SILENT, text: raw }], fault: null }
  }

  function refused(json: JsonObject, data: string, text: string): Brought {
    errorEvent = ERROR_TYPES.has(json.type) ? text : null
    return { parts: [], fault: { kind: 'refused', words: failedResponse(json) ?? data } }
  }

  function accept(json: JsonObject, data: string, text: string, came: RawEvent | null = null): Brought {
    // Some relays send a last event twice, or a second answer behind it.
    if (progress.done) return { parts: [], fault: null }
    const chunk = wire.readEvent(json, hasAnswered(progress))
    if (chunk === 'error') return refused(json, data, text)
    if (typeOf(json) === null) return data.trim() === '{}' ? { parts: [], fault: null } : leaveOut(data)
    const { before = [], instead = json, isStrange } = mend(json)
    if (isStrange) return { parts: [], fault: { kind: 'cut' } }
    if (instead === null) return { parts: [], fault: null }
    const view = inspectChunk(chunk)
    advance(progress, view)
    if (wire.isEnd(json) && words !== null && progress.finish === null) {
      return { parts: [], fault: { kind: 'refused', words } }
    }
    answerId ??= wire.answerIdOf(json)
    const mended = before.map(eventOf)
    for (const [index, event] of before.entries()) fold?.add(event, mended[index]?.data ?? '')
    const own = instead === json ? { data, text } : eventOf(instead)
    fold?.add(instead, own.data)
    if (wire.isEnd(json)) progress.done = true
    if (came?.raw === own.text && before.length === 0) shape?.passed(came, json, chunk, view)
    const parts = mended.map((event): AnswerPart => ({ json: SILENT, text: event.text }))
    return { parts: [...parts, { json: chunk, text: own.text }], fault: null }
  }

  /** What is no single document, as far as clients can be given it. */
  function part(data: string): Brought {
    const parts: AnswerPart[] = []
    for (const piece of readEventPieces(data)) {
      if (piece.kind === 'done') continue
      const isDocument = piece.kind === 'document'
      const text = isDocument ? (piece.text ?? JSON.stringify(piece.json)) : piece.text
      const brought = isDocument
        ? accept(piece.json, text, formatNamedEvent(typeOf(piece.json) ?? 'message', text))
        : leaveOut(text)
      parts.push(...brought.parts)
      if (brought.fault) return { parts, fault: brought.fault }
    }
    return { parts, fault: null }
  }

  return {
    add(event) {
      const known = shape?.read(event)
      if (known) {
        advance(progress, known.view)
        return { parts: [known.part], fault: null }
      }
      const { raw, data } = event
      if (data === null) return event.event === 'error' ? refused({}, 'event: error', raw) : passLines(raw)
      if (data.trim() === DONE) return { parts: [{ json: SILENT, text: raw }], fault: null }
      const json = parseJsonObject(data)
      if (event.event === 'error') {
        const words = json && !json.error ? `{"error":${data}}` : data
        return refused(json ?? {}, words, raw)
      }
      return json ? accept(json, data, textOf(event, json), event) : part(data)
    },
    progress,
    malformed: () => malformed,
    answerId: () => answerId,
    errorEvent: () => errorEvent,
  }
}
