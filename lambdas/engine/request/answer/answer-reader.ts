import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AnswerLimitError } from '../../../core/answers/answer-limits.ts'
import { advance, type AnswerProgress } from '../../../core/answers/answer-progress.ts'
import { inspectChunk } from '../../../core/answers/inspect-chunk.ts'
import type { AnswerPart, StreamFault, StreamOptions } from '../../../core/answers/stream-reader.ts'
import { parseJsonObject, type JsonObject } from '../../../core/json.ts'
import { isLongText } from '../../../core/long-text.ts'
import { createEventReader, EventTooLargeError, type ServerSentEvent } from '../../../sse/event-reader.ts'
import type { Wire } from '../../../wires/wire.ts'
import { readAll, readPrefix, type Chunks } from './read-prefix.ts'
import { UpstreamError } from '../upstream/upstream-error.ts'

/** Pulls one upstream answer, streamed or whole, chunk by chunk. */
export type AnswerReader = {
  /** The next chunks, at least one; null at the end. Throws `refuse(…)` for an error in band, or as the body does. */
  next(): Promise<readonly AnswerPart[] | null>
  /** What is left to show where an answer is taken for whole although its stream did not end. */
  end(): readonly AnswerPart[]
  readonly progress: AnswerProgress
  /** Events that could not be read: left out and counted. */
  readonly malformedEvents: number
  /** The answer itself, where the upstream sent it whole. */
  readonly completion: JsonObject | null
  /** Of an answer in the client's own API: the id by which a later request may refer to it. */
  readonly answerId?: string | null
  /** The same: the event by which the upstream itself broke it off, as it came. */
  readonly errorEvent?: string | null
  /** Reads what comes behind the answer and forgets it, so that the socket can be used again. Never rejects. */
  discardRest(): Promise<void>
}

/** Turns what the upstream said into the error to throw. */
export type Refuse = (body: string, inStream: boolean) => Error

const tooLarge = (): UpstreamError => new UpstreamError('BACKSTOP_ANSWER_TOO_LARGE')

/**
 * Reads the answer of a 200. What is neither events nor a whole answer of this wire is handed to `refuse`.
 * @param mask takes out the keys that an event repeats
 */
export function createAnswerReader(
  body: Readable,
  wire: Wire,
  refuse: Refuse,
  mask: (text: string) => string,
  options: StreamOptions,
): AnswerReader {
  const chunks: Chunks = body.iterator()
  const events = createEventReader()
  const stream = wire.readStream(options)
  const { progress } = stream
  let mode: 'unknown' | 'events' | 'ended' = 'unknown'
  let completion: JsonObject | null = null
  let pendingError: unknown = null

  function errorOf(fault: StreamFault): Error {
    if (fault.kind === 'refused') return refuse(fault.words, true)
    return new UpstreamError(fault.kind === 'cut' ? 'BACKSTOP_TRUNCATED' : 'BACKSTOP_MALFORMED')
  }

  /** How the network cut the bytes must not decide whether output before an error is seen. */
  function giveOrThrow(parts: readonly AnswerPart[], error: unknown): readonly AnswerPart[] {
    if (error === null) return parts
    if (parts.length === 0) throw error
    pendingError = error
    return parts
  }

  function readEvent(event: ServerSentEvent): ReturnType<typeof stream.add> {
    const { data } = event
    if (!wire.isError(event)) return stream.add(mask(data))
    const json = parseJsonObject(data)
    const words = !json ? `event: error\ndata: ${data}` : json.error ? data : `{"error":${data}}`
    return { parts: [], fault: { kind: 'refused', words } }
  }

  /** Everything complete in these bytes, up to `[DONE]`: what comes behind it is no part of the answer. */
  async function acceptAll(read: () => readonly ServerSentEvent[]): Promise<readonly AnswerPart[]> {
    const parts: AnswerPart[] = []
    try {
      for (const event of read()) {
        const isLong = isLongText(event.data)
        if (isLong) await nextTurn()
        const { parts: more, fault } = readEvent(event)
        if (isLong) await nextTurn()
        parts.push(...more)
        if (fault) return giveOrThrow(parts, errorOf(fault))
        if (!progress.done) continue
        mode = 'ended'
        break
      }
    } catch (error) {
      const isLimit = error instanceof AnswerLimitError || error instanceof EventTooLargeError
      return giveOrThrow(parts, isLimit ? tooLarge() : error)
    }
    return parts
  }

  function readWholeText(text: string): ReturnType<Wire['readWhole']> {
    try {
      return wire.readWhole(text, options)
    } catch (error) {
      throw error instanceof AnswerLimitError ? tooLarge() : error
    }
  }

  async function readWhole(first: Buffer): Promise<readonly AnswerPart[]> {
    mode = 'ended'
    const text = mask(await readAll(first, chunks))
    const whole = readWholeText(text)
    if (!whole) throw refuse(text, false)
    completion = whole.completion
    for (const chunk of whole.chunks) advance(progress, inspectChunk(chunk))
    progress.done = true
    return whole.chunks.map(json => ({ json, text: null }))
  }

  async function readEnd(): Promise<readonly AnswerPart[]> {
    const last = await acceptAll(() => events.end())
    if (mode === 'ended' || pendingError) return last
    mode = 'ended'
    const { parts, fault } = stream.end()
    return giveOrThrow([...last, ...parts], fault && errorOf(fault))
  }

  async function read(): Promise<readonly AnswerPart[] | null> {
    if (pendingError) throw pendingError
    if (mode === 'ended') return null
    if (mode === 'unknown') {
      const prefix = await readPrefix(chunks)
      if (!prefix.isEvents) return readWhole(prefix.bytes)
      mode = 'events'
      return acceptAll(() => events.push(prefix.bytes))
    }
    const { value } = await chunks.next()
    return value ? acceptAll(() => events.push(value)) : readEnd()
  }

  return {
    async next() {
      for (;;) {
        const parts = await read()
        if (parts === null || parts.length > 0) return parts
      }
    },
    end() {
      mode = 'ended'
      pendingError = null
      return stream.end().parts
    },
    progress,
    get malformedEvents() {
      return stream.malformed
    },
    get completion() {
      return completion
    },
    async discardRest() {
      try {
        while ((await chunks.next()).value) continue
      } catch {
        // Nothing is lost: the answer was complete before.
      }
    },
  }
}
