import { MAX_EVENT_BYTES } from '../../../sse/event-reader.ts'
import { UpstreamError } from '../upstream/upstream-error.ts'

export type Chunks = AsyncIterator<Buffer, undefined>

const EVENT_STARTS = [':', 'data:', 'event:', 'id:', 'retry:', 'error:']
const LONGEST_START = Math.max(...EVENT_STARTS.map(word => word.length))
/** Blank lines that keep a connection open may come without end. */
const MOST_BLANK_BYTES = 1_024

const isBlank = (byte: number | undefined): boolean =>
  byte !== undefined && (byte === 0x20 || byte === 0xa0 || (byte >= 0x09 && byte <= 0x0d))

/** The first characters behind a byte order mark and blanks: as many as tell what follows. */
function startOf(bytes: Buffer): string {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  let at = hasMark ? 3 : 0
  while (isBlank(bytes[at])) at += 1
  return bytes.toString('latin1', at, at + LONGEST_START)
}

/**
 * Reads on until the first bytes tell an event stream from anything else. Content types lie, and JSON, HTML and plain
 * text all come where a stream was asked for, also behind blank lines.
 */
export async function readPrefix(chunks: Chunks): Promise<{ bytes: Buffer; isEvents: boolean }> {
  let bytes: Buffer = Buffer.alloc(0)
  for (;;) {
    const { value } = await chunks.next()
    if (!value) return { bytes, isEvents: false }
    bytes = bytes.length === 0 ? value : Buffer.concat([bytes, value])
    const start = startOf(bytes)
    if (start === '') bytes = bytes.length > MOST_BLANK_BYTES ? Buffer.alloc(0) : bytes
    else if (EVENT_STARTS.some(word => start.startsWith(word))) return { bytes, isEvents: true }
    else if (!EVENT_STARTS.some(word => word.startsWith(start))) return { bytes, isEvents: false }
  }
}

/** All of a body that is no stream, as text. */
export async function readAll(first: Buffer, chunks: Chunks): Promise<string> {
  const parts = [first]
  for (let size = first.length; size <= MAX_EVENT_BYTES;) {
    const { value } = await chunks.next()
    if (!value) return (parts.length === 1 ? first : Buffer.concat(parts)).toString('utf8')
    parts.push(value)
    size += value.length
  }
  throw new UpstreamError('BACKSTOP_ANSWER_TOO_LARGE')
}
