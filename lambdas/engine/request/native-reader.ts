import type { Readable } from 'node:stream'
import { advance, createProgress } from '../../core/answers/answer-progress.ts'
import { inspectChunk } from '../../core/answers/inspect-chunk.ts'
import type { AnswerPart } from '../../core/answers/stream-reader.ts'
import { parseJsonObject, type JsonObject } from '../../core/json.ts'
import { createRawEventReader, type RawEvent } from '../../sse/raw-event-reader.ts'
import type { NativeWire } from '../../wires/native-wire.ts'
import type { AnswerReader, Refuse } from './answer-reader.ts'
import { UpstreamError } from './upstream/upstream-error.ts'

export type NativeReaderOptions = {
  stream: boolean
  /** The key that the endpoint was called with: an answer that repeats it is shown without. */
  secret: string | null
}

const MOST_CHARACTERS = 32 * 1024 * 1024
const SILENT: JsonObject = { choices: [] }

/**
 * Reads an answer in the client's own API. Each part is one event as it came, beside what it says in the words of the
 * chat API; a whole answer is one part.
 */
export function createNativeReader(
  body: Readable,
  wire: NativeWire,
  refuse: Refuse,
  { stream, secret }: NativeReaderOptions,
): AnswerReader {
  const chunks: AsyncIterator<Buffer, undefined> = body.iterator()
  const events = createRawEventReader(MOST_CHARACTERS)
  const progress = createProgress(1)
  let malformed = 0
  let ended = false
  let pendingError: unknown = null
  let answerId: string | null = null
  let errorEvent: string | null = null

  const shown = (raw: string): string => (secret ? raw.replaceAll(secret, '[key]') : raw)
  const note = (chunk: JsonObject): void => advance(progress, inspectChunk(chunk))

  function accept({ raw, data, event }: RawEvent): AnswerPart {
    const json = data === null ? undefined : parseJsonObject(data)
    if (!json) {
      if (event === 'error') throw refuse(data ?? '', true)
      if (data !== null && data.trim() !== '[DONE]') malformed += 1
      return { json: SILENT, text: shown(raw) }
    }
    const chunk = event === 'error' ? 'error' : wire.readEvent(json)
    if (chunk === 'error') {
      errorEvent = shown(raw)
      throw refuse(data ?? '', true)
    }
    answerId ??= wire.answerIdOf(json)
    note(chunk)
    if (wire.isEnd(json)) progress.done = true
    return { json: chunk, text: shown(raw) }
  }

  function acceptAll(found: readonly RawEvent[]): readonly AnswerPart[] {
    const parts: AnswerPart[] = []
    for (const event of found) {
      try {
        parts.push(accept(event))
      } catch (error) {
        // How the network cut the bytes must not decide whether output before an error is seen.
        if (parts.length === 0) throw error
        pendingError = error
        break
      }
    }
    return parts
  }

  async function readWhole(): Promise<readonly AnswerPart[]> {
    ended = true
    const pieces: Buffer[] = []
    for (let size = 0; size <= MOST_CHARACTERS;) {
      const { value } = await chunks.next()
      if (!value) break
      pieces.push(value)
      size += value.length
      if (size > MOST_CHARACTERS) throw new UpstreamError('BACKSTOP_ANSWER_TOO_LARGE')
    }
    const text = Buffer.concat(pieces).toString('utf8')
    const json = parseJsonObject(text)
    const said = json && wire.readWhole(json)
    if (!json || !said) throw refuse(text, false)
    answerId = wire.answerIdOf(json)
    for (const chunk of said) note(chunk)
    progress.done = true
    const [first = SILENT, ...rest] = said
    return [{ json: first, text: shown(text) }, ...rest.map(chunk => ({ json: chunk, text: '' }))]
  }

  async function read(): Promise<readonly AnswerPart[] | null> {
    if (pendingError) throw pendingError
    if (ended) return null
    if (!stream) return readWhole()
    const { value } = await chunks.next()
    if (value) {
      try {
        return acceptAll(events.push(value))
      } catch (error) {
        throw error instanceof RangeError ? new UpstreamError('BACKSTOP_ANSWER_TOO_LARGE') : error
      }
    }
    ended = true
    const last = events.end()
    // An event without its blank line was cut, unless it is whole.
    return last?.data != null && parseJsonObject(last.data) ? acceptAll([last]) : null
  }

  return {
    async next() {
      for (;;) {
        const parts = await read()
        if (parts === null || parts.length > 0) return parts
      }
    },
    end() {
      ended = true
      pendingError = null
      return []
    },
    progress,
    get malformedEvents() {
      return malformed
    },
    completion: null,
    get answerId() {
      return answerId
    },
    get errorEvent() {
      return errorEvent
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
