import type { Readable } from 'node:stream'
import { advance, createProgress, type AnswerProgress } from '../../../core/answers/answer-progress.ts'
import { inspectChunk } from '../../../core/answers/inspect-chunk.ts'
import type { AnswerPart, StreamOptions, StreamReader } from '../../../core/answers/stream-reader.ts'
import type { KeyMask } from '../../../core/failures/secrecy/mask-keys.ts'
import { parseJsonObject, type JsonObject } from '../../../core/json.ts'
import { isLongText } from '../../../core/long-text.ts'
import { createEventReader, type EventReader, type ServerSentEvent } from '../../../sse/event-reader.ts'
import type { Wire } from '../../../wires/wire.ts'
import { createBodyReader, errorOf, inTurns, limitError, type Accepted, type Refuse } from './read-body.ts'
import { readAll } from './read-prefix.ts'

/** Pulls one upstream answer, streamed or whole, chunk by chunk. */
export type AnswerReader = {
  /** The next chunks, at least one; null at the end. Throws `refuse(…)` for an error in band, or as the body does. */
  next(): Promise<readonly AnswerPart[] | null>
  /** What is left to show where an answer is taken for whole although its stream did not end. */
  end(): readonly AnswerPart[]
  readonly progress: AnswerProgress
  /** Events that could not be read: left out and counted. */
  malformedEvents(): number
  /** The answer itself, where the upstream sent it whole. */
  completion(): JsonObject | null
  /** Its JSON as it came, where that is the same. */
  completionText?(): string | null
  /** Of an answer in the client's own API: the id by which a later request may refer to it. */
  answerId?(): string | null
  /** The same: the event by which the upstream itself broke it off, as it came. */
  errorEvent?(): string | null
  /** Reads what comes behind the answer and forgets it, so that the socket can be used again. Never rejects. */
  discardRest(): Promise<void>
}

/**
 * Reads the answer of a 200. What is neither events nor a whole answer of this wire is handed to `refuse`.
 * @param mask takes out the keys that an event repeats
 * @param options `held`: an answer that comes whole is not to be relayed in chunks
 */
export function createAnswerReader(
  body: Readable,
  wire: Wire,
  refuse: Refuse,
  mask: KeyMask,
  options: StreamOptions & { held: boolean },
): AnswerReader {
  const progress = createProgress(options.wanted)
  /** What comes whole needs neither. */
  let events: EventReader | null = null
  const eventReader = (): EventReader => (events ??= createEventReader())
  let stream: StreamReader | null = null
  const streamReader = (): StreamReader => (stream ??= wire.readStream({ ...options, mask, progress }))
  let completion: JsonObject | null = null
  let completionText: string | null = null

  function repeated(event: ServerSentEvent): AnswerPart | null {
    return wire.isError(event) || isLongText(event.data) ? null : streamReader().repeat(event.data)
  }

  function readEvent(event: ServerSentEvent): ReturnType<StreamReader['add']> {
    const { data } = event
    if (!wire.isError(event)) return streamReader().add(mask(data))
    const json = parseJsonObject(data)
    const words = !json ? `event: error\ndata: ${data}` : json.error ? data : `{"error":${data}}`
    return { parts: [], fault: { kind: 'refused', words } }
  }

  /** Everything complete in these bytes, up to `[DONE]`: what comes behind it is no part of the answer. */
  async function acceptAll(read: () => readonly ServerSentEvent[]): Promise<Accepted> {
    const parts: AnswerPart[] = []
    try {
      for (const event of read()) {
        const again = repeated(event)
        if (again) {
          parts.push(again)
          continue
        }
        const { parts: more, fault } = isLongText(event.data)
          ? await inTurns(() => readEvent(event))
          : readEvent(event)
        parts.push(...more)
        if (fault) return { parts, error: errorOf(fault, refuse), ended: false }
        if (progress.done) return { parts, error: null, ended: true }
      }
      return { parts, error: null, ended: false }
    } catch (error) {
      return { parts, error: limitError(error), ended: false }
    }
  }

  function readWholeText(text: string): ReturnType<Wire['readWhole']> {
    try {
      return wire.readWhole(text, options)
    } catch (error) {
      throw limitError(error)
    }
  }

  const reader = createBodyReader(body, {
    events: bytes => acceptAll(() => eventReader().push(bytes)),
    async rest() {
      const last = await acceptAll(() => eventReader().end())
      if (last.ended || last.error !== null) return last
      const { parts, fault } = streamReader().end()
      return { parts: [...last.parts, ...parts], error: fault && errorOf(fault, refuse), ended: true }
    },
    async whole(first, chunks) {
      const text = mask(await readAll(first, chunks))
      const whole = readWholeText(text)
      if (!whole) throw refuse(text, false)
      completion = whole.completion
      completionText = whole.text
      advance(progress, inspectChunk(whole.view))
      progress.done = true
      const shown = options.held ? [whole.view] : whole.chunks()
      return shown.map(json => ({ json, text: null }))
    },
  })

  return {
    next: reader.next,
    end() {
      reader.end()
      return stream?.end().parts ?? []
    },
    progress,
    malformedEvents: () => stream?.malformed() ?? 0,
    completion: () => completion,
    completionText: () => completionText,
    discardRest: reader.discardRest,
  }
}
