import type { Readable } from 'node:stream'
import { NO_PROGRESS, advance, type AnswerProgress } from '../../core/answers/answer-progress.ts'
import { parseJsonObject, type JsonObject } from '../../core/json.ts'
import { nestingOf } from '../../core/answers/json-nesting.ts'
import { createEventReader, type ServerSentEvent } from '../../sse/event-reader.ts'
import type { Wire } from '../../wires/wire.ts'

/** One chunk of an answer: parsed, and as it came where it came as an event. */
export type AnswerPart = { json: JsonObject; text: string | null }

/** Pulls one upstream answer, streamed or whole, chunk by chunk. */
export type AnswerReader = {
  /** The next chunks, at least one; null at the end. Throws `refuse(…)` for an error in band, or as the body does. */
  next(): Promise<readonly AnswerPart[] | null>
  readonly progress: AnswerProgress
  /** Events that were not JSON: skipped and counted. */
  readonly malformedEvents: number
  /** The answer itself, where the upstream sent it whole. */
  readonly completion: JsonObject | null
  /** Reads what comes behind the answer and forgets it, so that the socket can be used again. Never rejects. */
  discardRest(): Promise<void>
}

/** Turns what the upstream said into the error to throw. */
export type Refuse = (body: string, inStream: boolean) => Error

const MAX_WHOLE_BYTES = 32 * 1024 * 1024
/** No answer is nested like this, and writing it out again would overflow the stack. */
const MAX_NESTING = 256

type Chunks = AsyncIterator<Buffer, undefined>

const EVENT_STARTS = [':', 'data:', 'event:', 'id:', 'retry:']

/**
 * Reads past blank keep-alive lines until the first bytes tell an event stream from anything else. Content types
 * lie, and JSON, HTML and plain text all come where a stream was asked for.
 */
async function readPrefix(chunks: Chunks): Promise<{ bytes: Buffer; isEvents: boolean }> {
  let bytes = Buffer.alloc(0)
  for (;;) {
    const { value } = await chunks.next()
    if (!value) return { bytes, isEvents: false }
    bytes = Buffer.concat([bytes, value])
    const start = bytes
      .toString('latin1')
      .replace(/^\u00EF\u00BB\u00BF/, '')
      .trimStart()
    if (start === '') bytes = Buffer.alloc(0)
    else if (EVENT_STARTS.some(word => start.startsWith(word))) return { bytes, isEvents: true }
    else if (!EVENT_STARTS.some(word => word.startsWith(start))) return { bytes, isEvents: false }
  }
}

/** The object in a text; undefined where there is none, or one that is nested too deeply to be passed on. */
function readObject(text: string): JsonObject | undefined {
  const mayBeDeep = text.length > 2 * MAX_NESTING
  return mayBeDeep && nestingOf(text) > MAX_NESTING ? undefined : parseJsonObject(text)
}

/** Reads the answer of a 200. What is neither events nor a whole answer of this wire is handed to `refuse`. */
export function createAnswerReader(body: Readable, wire: Wire, refuse: Refuse): AnswerReader {
  const chunks = body.iterator() as unknown as Chunks
  const events = createEventReader()
  let mode: 'unknown' | 'events' | 'ended' = 'unknown'
  let progress = NO_PROGRESS
  let malformedEvents = 0
  let completion: JsonObject | null = null
  let pendingError: unknown = null

  function accept(json: JsonObject, text: string | null, inStream: boolean): AnswerPart {
    const view = wire.inspect(json)
    if (view.kind === 'error') throw refuse(text ?? JSON.stringify(json), inStream)
    progress = advance(progress, view)
    return { json, text }
  }

  function acceptEvent(event: ServerSentEvent): AnswerPart | null {
    const { data } = event
    if (wire.isDone(event)) {
      progress = { ...progress, done: true }
      mode = 'ended'
      return null
    }
    if (wire.isError(event)) throw refuse(parseJsonObject(data) ? data : `event: error\ndata: ${data}`, true)
    const json = readObject(data)
    if (!json) malformedEvents += 1
    return json ? accept(json, data, true) : null
  }

  async function readWhole(first: Buffer): Promise<readonly AnswerPart[]> {
    mode = 'ended'
    const parts = [first]
    for (let size = first.length; size < MAX_WHOLE_BYTES;) {
      const { value } = await chunks.next()
      if (!value) break
      parts.push(value)
      size += value.length
    }
    const text = Buffer.concat(parts).toString('utf8')
    const json = readObject(text.replace(/^\uFEFF/, ''))
    const events = json ? wire.unfold(json) : null
    if (!json || !events) throw refuse(text, false)
    accept(json, null, false)
    progress = { ...progress, done: true }
    completion = json
    return events.map(part => ({ json: part, text: null }))
  }

  /** Everything complete in these bytes, up to `[DONE]`: what comes behind it is no part of the answer. */
  function acceptAll(found: readonly ServerSentEvent[]): readonly AnswerPart[] {
    const parts: AnswerPart[] = []
    try {
      for (const event of found) {
        const part = mode === 'ended' ? null : acceptEvent(event)
        if (part) parts.push(part)
      }
    } catch (error) {
      // How the network cut the bytes must not decide whether output before an error is seen.
      if (parts.length === 0) throw error
      pendingError = error
    }
    return parts
  }

  async function read(): Promise<readonly AnswerPart[] | null> {
    if (pendingError) throw pendingError
    if (mode === 'ended') return null
    if (mode === 'unknown') {
      const prefix = await readPrefix(chunks)
      if (!prefix.isEvents) return readWhole(prefix.bytes)
      mode = 'events'
      return acceptAll(events.push(prefix.bytes))
    }
    const { value } = await chunks.next()
    if (value) return acceptAll(events.push(value))
    const last = acceptAll(events.end())
    mode = 'ended'
    return last
  }

  return {
    async next() {
      for (;;) {
        const parts = await read()
        if (parts === null || parts.length > 0) return parts
      }
    },
    get progress() {
      return progress
    },
    get malformedEvents() {
      return malformedEvents
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
