import { createParser } from 'eventsource-parser'

/** One server-sent event; `event` is null where the stream named none. */
export type ServerSentEvent = { readonly event: string | null; readonly data: string }

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

const DEFAULT_MAX_EVENT_BYTES = 8 * 1024 * 1024
// The parser counts a line's field name too, so a little more keeps the limit the same wherever bytes are cut.
const FIELD_NAME_ALLOWANCE = 8
const MAX_BYTES_PER_CHARACTER = 3

/**
 * Bytes in, events out, however the network cut them. Comments, ids and events without data are dropped.
 * Events that were complete before one that is too large are still delivered; the next call throws.
 */
export function createEventReader(options: { maxEventBytes?: number } = {}): EventReader {
  const { maxEventBytes = DEFAULT_MAX_EVENT_BYTES } = options
  // The parser strips one byte order mark itself; two strippers would eat two.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let events: ServerSentEvent[] = []
  let tooLarge = false

  const exceedsLimit = (text: string): boolean =>
    text.length * MAX_BYTES_PER_CHARACTER > maxEventBytes && Buffer.byteLength(text) > maxEventBytes

  const parser = createParser({
    maxBufferSize: maxEventBytes + FIELD_NAME_ALLOWANCE,
    onEvent: ({ event, data }) => {
      tooLarge ||= exceedsLimit(data)
      if (!tooLarge && data !== '') events.push({ event: event ?? null, data })
    },
    onError: error => {
      tooLarge ||= error.type === 'max-buffer-size-exceeded'
    },
  })

  function feed(text: string): readonly ServerSentEvent[] {
    if (!tooLarge) parser.feed(text)
    const complete = events
    events = []
    if (tooLarge && complete.length === 0) throw new EventTooLargeError(maxEventBytes)
    return complete
  }

  return {
    push: bytes => feed(decoder.decode(bytes, { stream: true })),
    // Two line ends finish an open line and then its event; what is finished already ignores them.
    end: () => feed(`${decoder.decode()}\n\n`),
  }
}
