import { advance, createProgress, hasAnswered, type AnswerProgress } from '../core/answers/answer-progress.ts'
import { inspectChunk } from '../core/answers/inspect-chunk.ts'
import { readEventPieces } from '../core/answers/repair/event-pieces.ts'
import { holdsLostOutput } from '../core/answers/repair/lost-output.ts'
import type { AnswerPart, StreamFault } from '../core/answers/stream-reader.ts'
import { isJsonObject, parseJsonObject, type JsonObject } from '../core/json.ts'
import { formatNamedEvent } from '../sse/format-event.ts'
import type { RawEvent } from '../sse/raw-event-reader.ts'
import type { NativeFold, NativeWire } from './native-wire.ts'

/** What one event brings: the bytes to pass on, beside what they say in the words of the chat API. */
type Brought = { parts: readonly AnswerPart[]; fault: StreamFault | null }

export type NativeStream = {
  add(event: RawEvent): Brought
  readonly progress: AnswerProgress
  /** Events that were left out because no client can read them. */
  readonly malformed: number
  /** The id by which a later request may refer to the answer. */
  readonly answerId: string | null
  /** The event by which the upstream itself broke the answer off; null where clients would not see it as one. */
  readonly errorEvent: string | null
}

/** What lines say that are no event. */
export const SILENT: JsonObject = { choices: [] }
const DONE = '[DONE]'
const ERROR_TYPES: ReadonlySet<unknown> = new Set(['error', 'response.failed'])

const typeOf = ({ type }: JsonObject): string | null => (typeof type === 'string' ? type : null)

/** A response that failed repeats all of its request: only its error is the upstream's word. */
function errorWithin({ type, response }: JsonObject): string | null {
  if (!isJsonObject(response) || !isJsonObject(response.error)) return null
  return JSON.stringify({ type, response: { status: response.status, error: response.error } })
}

/**
 * Reads the events of one answer in the client's own API. They stay as they came, but for what every client chokes on:
 * an event that is no JSON is left out where no output is lost with it, events that are glued together are parted, and
 * names and pieces are added that clients of this API go by.
 * @param fold takes the events in, where the client wants none of them but what they add up to
 */
export function createNativeStream(wire: NativeWire, fold: NativeFold | null): NativeStream {
  const progress = createProgress(1)
  const missingBefore = wire.createMissing?.() ?? (() => [])
  let malformed = 0
  let answerId: string | null = null
  let errorEvent: string | null = null

  function textOf({ raw, event }: RawEvent, json: JsonObject): string {
    const type = typeOf(json)
    const isNamed = event !== null || type === null || !wire.goesByNames
    return isNamed ? raw : `event: ${type}\n${raw.replace(/^\uFEFF/, '')}`
  }

  function leaveOut(data: string): Brought {
    malformed += 1
    return { parts: [], fault: holdsLostOutput(data) ? { kind: 'lost' } : null }
  }

  function refused(json: JsonObject, data: string, text: string): Brought {
    errorEvent = ERROR_TYPES.has(json.type) ? text : null
    return { parts: [], fault: { kind: 'refused', words: errorWithin(json) ?? data } }
  }

  function accept(json: JsonObject, data: string, text: string): Brought {
    const chunk = wire.readEvent(json, hasAnswered(progress))
    if (chunk === 'error') return refused(json, data, text)
    if (typeOf(json) === null) return data.trim() === '{}' ? { parts: [], fault: null } : leaveOut(data)
    answerId ??= wire.answerIdOf(json)
    fold?.add(json, data)
    const parts: AnswerPart[] = missingBefore(json).map(missing => ({
      json: SILENT,
      text: formatNamedEvent(typeOf(missing) ?? 'message', JSON.stringify(missing)),
    }))
    advance(progress, inspectChunk(chunk))
    if (wire.isEnd(json)) progress.done = true
    return { parts: [...parts, { json: chunk, text }], fault: null }
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
      const { raw, data } = event
      if (data === null || data.trim() === DONE) return { parts: [{ json: SILENT, text: raw }], fault: null }
      const json = parseJsonObject(data)
      if (event.event === 'error') {
        const words = json && !json.error ? `{"error":${data}}` : data
        return refused(json ?? {}, words, raw)
      }
      return json ? accept(json, data, textOf(event, json)) : part(data)
    },
    progress,
    get malformed() {
      return malformed
    },
    get answerId() {
      return answerId
    },
    get errorEvent() {
      return errorEvent
    },
  }
}
