import { createLineReader } from './line-reader.ts'
import { createUtf8Reader } from './utf8-reader.ts'

/** One server-sent event; `event` is null where the stream named none. */
export type ServerSentEvent = {
  readonly event: string | null
  readonly data: string
  /** It stood in lines that are no fields of an event: an error page, or JSON that lacks its `data:`. */
  readonly stray?: true
}

export type EventReader = {
  /** The events that these bytes complete. */
  push(bytes: Uint8Array): readonly ServerSentEvent[]
  /** The last event, where its blank line never came. */
  end(): readonly ServerSentEvent[]
}

/** Thrown when one event outgrows the limit: the stream cannot be read any further. */
export class EventTooLargeError extends Error {
  override readonly name = 'EventTooLargeError'

  constructor(maxEventBytes: number) {
    super(`An event of the stream is larger than ${maxEventBytes} bytes.`)
  }
}

/** An image may come as one event; this is past any that was seen. */
export const MAX_EVENT_BYTES = 32 * 1024 * 1024
// An open line still has its field's name, so a little more keeps the limit the same wherever bytes are cut.
const FIELD_NAME_ALLOWANCE = 8
const MAX_BYTES_PER_CHARACTER = 3
const DONE = '[DONE]'
/** How nearly every event is written: in one line. */
const ONE_LINE = 'data: '
const MOST_ONE_LINE = 16 * 1024

const valueOf = (line: string, colon: number): string =>
  line.slice(line.charAt(colon + 1) === ' ' ? colon + 2 : colon + 1)

/** Two documents cannot follow each other in one JSON value: some hosts end events with one line break. */
const beginsAnother = (before: string, line: string): boolean =>
  (before.trimEnd().endsWith('}') && line.startsWith('{')) || line.startsWith(DONE)

/**
 * Bytes in, events out, however the network cut them, and also where the stream keeps to the rules only roughly.
 * Comments, ids and events without data are dropped. Events that were complete before one that is too large are
 * still delivered; the next call throws. https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function createEventReader(options: { maxEventBytes?: number } = {}): EventReader {
  const { maxEventBytes = MAX_EVENT_BYTES } = options
  const texts = createUtf8Reader()
  const lines = createLineReader(line => readLine(line))
  let events: ServerSentEvent[] = []
  let data: string[] = []
  let stray: string[] = []
  let event: string | null = null
  /** A name that came behind data: of this event if a blank line follows, else of the next. */
  let nextEvent: string | null = null
  let size = 0
  let tooLarge = false
  const mostOneLine = Math.min(MOST_ONE_LINE, maxEventBytes / MAX_BYTES_PER_CHARACTER)

  const exceedsLimit = (text: string): boolean =>
    text.length * MAX_BYTES_PER_CHARACTER > maxEventBytes && Buffer.byteLength(text) > maxEventBytes

  function emit(text: string, name: string | null, isStray: boolean): void {
    tooLarge ||= exceedsLimit(text)
    if (!tooLarge && text !== '')
      events.push({ event: name, data: text, ...(isStray ? { stray: true } : {}) })
  }

  function keep(list: string[], line: string): void {
    list.push(line)
    size += line.length
    tooLarge ||= size > maxEventBytes
  }

  function flushStray(): void {
    if (stray.length > 0) emit(stray.join('\n').trim(), null, true)
    stray = []
  }

  function dispatch(): void {
    flushStray()
    if (data.length > 0) emit(data.join('\n'), event, false)
    data = []
    event = null
    size = 0
  }

  function readData(value: string): void {
    flushStray()
    const before = data.at(-1)
    if (before !== undefined && beginsAnother(before, value)) {
      dispatch()
      event = nextEvent
    }
    nextEvent = null
    keep(data, value)
    if (value === DONE) dispatch()
  }

  function readEvent(name: string): void {
    if (data.length > 0) nextEvent = name
    else event = name
  }

  function readOther(line: string): void {
    const open = data.at(-1)
    // A line break inside a string of JSON that should have been escaped.
    if (open !== undefined && !/[}\]]\s*$/.test(open)) keep(data, line)
    else {
      if (data.length > 0) dispatch()
      keep(stray, line)
    }
  }

  function readLine(line: string): void {
    if (tooLarge) return
    if (line === '') {
      if (nextEvent !== null) event = nextEvent
      nextEvent = null
      return dispatch()
    }
    const field = line.trimStart()
    const colon = field.indexOf(':')
    const name = colon < 0 ? field : field.slice(0, colon)
    if (name === 'data') readData(colon < 0 ? '' : valueOf(field, colon))
    else if (name === 'event') readEvent(colon < 0 ? '' : valueOf(field, colon))
    else if (name === 'error' && colon > 0) {
      dispatch()
      emit(valueOf(field, colon), 'error', false)
    } else if (name !== '' && name !== 'id' && name !== 'retry') readOther(line)
  }

  /** Takes the events at the beginning of a text that are one line each; returns the rest of the text. */
  function takeOneLiners(text: string): string {
    const isBetween = lines.isAtStart() && data.length === 0 && stray.length === 0
    if (!isBetween || event !== null || nextEvent !== null || text.includes('\r')) return text
    let at = 0
    while (text.startsWith(ONE_LINE, at)) {
      const end = text.indexOf('\n', at)
      const length = end - at - ONE_LINE.length
      if (length <= 0 || length > mostOneLine || text.charCodeAt(end + 1) !== 0x0a) break
      events.push({ event: null, data: text.slice(at + ONE_LINE.length, end) })
      at = end + 2
    }
    return at === 0 ? text : text.slice(at)
  }

  function feed(text: string): readonly ServerSentEvent[] {
    if (!tooLarge) lines.push(takeOneLiners(text))
    tooLarge ||= lines.openLength() > maxEventBytes + FIELD_NAME_ALLOWANCE
    const complete = events
    events = []
    if (tooLarge && complete.length === 0) throw new EventTooLargeError(maxEventBytes)
    return complete
  }

  return {
    push: bytes => feed(texts.read(bytes)),
    // Two line ends finish an open line and then its event; what is finished already ignores them.
    end: () => feed(`${texts.end()}\n\n`),
  }
}
