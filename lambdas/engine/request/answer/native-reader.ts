import type { Readable } from 'node:stream'
import { advance, isSettled } from '../../../core/answers/answer-progress.ts'
import { inspectChunk } from '../../../core/answers/inspect-chunk.ts'
import type { AnswerPart } from '../../../core/answers/stream-reader.ts'
import { parseExact } from '../../../core/exact-json.ts'
import type { KeyMask } from '../../../core/failures/secrecy/mask-keys.ts'
import { isJsonObject, type JsonObject } from '../../../core/json.ts'
import { isLongText } from '../../../core/long-text.ts'
import { formatNamedEvent } from '../../../sse/format-event.ts'
import { createRawEventReader, type RawEvent } from '../../../sse/raw-event-reader.ts'
import { createNativeStream, SILENT } from '../../../wires/native-stream.ts'
import type { NativeWire } from '../../../wires/native-wire.ts'
import type { AnswerReader } from './answer-reader.ts'
import { createBodyReader, errorOf, inTurns, limitError, type Accepted, type Refuse } from './read-body.ts'
import { readAll, type Chunks } from './read-prefix.ts'
import { UpstreamError } from '../upstream/upstream-error.ts'

export type NativeReaderOptions = {
  /** The client gets the answer whole, however it comes. */
  whole: boolean
  /** An event without the keys that it repeats: the same one where it repeats none. */
  mask: KeyMask
  /** An error without them, in whatever form. */
  hide(words: string): string
}

const MOST_CHARACTERS = 32 * 1024 * 1024
/** A longer one is told in our own words. */
const MOST_ERROR_CHARACTERS = 64 * 1024
/** Lines that are no event, such as those of an error page: whatever they are, they are no output. */
const SHORTEST_STRAY = 8
const MOST_STRAYS = 200

/** Pings and comments. */
function isQuiet({ json }: AnswerPart): boolean {
  const { choices, usage } = inspectChunk(json)
  return usage === null && choices.every(({ output, finish }) => !output && finish === null)
}

function parseAnswer(text: string): JsonObject | null {
  try {
    const value = parseExact(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

/**
 * Reads an answer in the client's own API. Each part is one event as it came, beside what it says in the words of the
 * chat API; a whole answer is one part, or the events of a stream where one was asked for.
 */
export function createNativeReader(
  body: Readable,
  wire: NativeWire,
  refuse: Refuse,
  { whole, mask, hide }: NativeReaderOptions,
): AnswerReader {
  const events = createRawEventReader(MOST_CHARACTERS)
  const fold = whole ? wire.createFold() : null
  const native = createNativeStream(wire, fold, mask)
  const { progress } = native
  let wholeId: string | null = null
  let strays = 0
  /** What says nothing, behind an answer that has ended: it must not look as if more were to come. */
  let held: AnswerPart[] = []

  function shownPart(part: AnswerPart): AnswerPart {
    // What repeats an event holds no key.
    if (part.like) return part
    const { json, text } = part
    const isStray = json === SILENT && text !== null && text.length >= SHORTEST_STRAY && !text.startsWith(':')
    if (isStray) strays += 1
    return { json, text: text && (isStray && strays <= MOST_STRAYS ? hide(text) : mask(text)) }
  }

  function shownError(text: string | null): string | null {
    return text === null || text.length > MOST_ERROR_CHARACTERS ? null : hide(text)
  }

  function takeHeld(): readonly AnswerPart[] {
    const taken = held
    held = []
    return taken
  }

  async function acceptAll(read: () => readonly RawEvent[]): Promise<Accepted> {
    const wasOver = isSettled(progress)
    const wasDone = progress.done
    const parts: AnswerPart[] = []
    let error: unknown = null
    let silence = ''
    function endSilence(): void {
      if (silence !== '') parts.push({ json: SILENT, text: mask(silence) })
      silence = ''
    }
    try {
      for (const event of read()) {
        // Comments may come by the thousand, and are one part.
        if (event.data === null && (event.raw.startsWith(':') || event.raw.length < SHORTEST_STRAY)) {
          silence += event.raw
          continue
        }
        endSilence()
        const { parts: more, fault } = isLongText(event.raw)
          ? await inTurns(() => native.add(event))
          : native.add(event)
        parts.push(...more.map(shownPart))
        if (fault) throw errorOf(fault, refuse)
      }
      endSilence()
    } catch (caught) {
      error = limitError(caught)
    }
    const shown = fold ? parts.map(({ json }) => ({ json, text: '' })) : parts
    if (error !== null || !wasOver || progress.done !== wasDone || !shown.every(isQuiet)) {
      return { parts: [...takeHeld(), ...shown], error, ended: false }
    }
    held.push(...shown)
    return { parts: [], error: null, ended: false }
  }

  async function readText(first: Buffer, chunks: Chunks): Promise<string> {
    try {
      return await readAll(first, chunks)
    } catch (error) {
      // Half of an answer has been worked for, like a stream that breaks behind its first output.
      progress.output = first.length > 0
      throw error
    }
  }

  async function readWhole(first: Buffer, chunks: Chunks): Promise<readonly AnswerPart[]> {
    const text = await readText(first, chunks)
    const json = parseAnswer(text)
    const said = json && wire.readWhole(json)
    if (!json || !said) throw refuse(text, false)
    wholeId = wire.answerIdOf(json)
    for (const chunk of said) advance(progress, inspectChunk(chunk))
    progress.done = true
    if (whole) {
      const [first = SILENT, ...rest] = said
      return [{ json: first, text: mask(text) }, ...rest.map(chunk => ({ json: chunk, text: '' }))]
    }
    return wire.unfold(json).map(event => {
      const chunk = wire.readEvent(event, true)
      const data = formatNamedEvent(String(event.type), JSON.stringify(event))
      return { json: chunk === 'error' ? SILENT : chunk, text: mask(data) }
    })
  }

  /** What the events of a stream add up to, where the client gets that alone. */
  function folded(): readonly AnswerPart[] {
    if (!fold || !reader.isStreaming()) return []
    const text = fold.text()
    if (text === null) throw new UpstreamError('BACKSTOP_TRUNCATED')
    return [{ json: SILENT, text: mask(text) }]
  }

  const reader = createBodyReader(body, {
    events: bytes => acceptAll(() => events.push(bytes)),
    async rest() {
      const last = events.end()
      // An event without its blank line was cut, unless it is whole.
      const isWhole = last?.data != null && parseAnswer(last.data) !== null
      const { parts, error } = await acceptAll(() => (isWhole ? [last] : []))
      return { parts: error === null ? [...parts, ...takeHeld(), ...folded()] : parts, error, ended: true }
    },
    whole: readWhole,
  })

  return {
    next: reader.next,
    end() {
      const last = [...takeHeld(), ...folded()]
      reader.end()
      return last
    },
    progress,
    malformedEvents: native.malformed,
    completion: () => null,
    answerId: () => wholeId ?? native.answerId(),
    errorEvent: () => shownError(native.errorEvent()),
    discardRest: reader.discardRest,
  }
}
