import { createUtf8Reader } from './utf8-reader.ts'

/** One event of a stream: as it came, to the byte, and what it says. Comments and blank lines are events without data. */
export type RawEvent = { raw: string; event: string | null; data: string | null }

export type RawEventReader = {
  /** The events that these bytes complete. */
  push(bytes: Uint8Array): readonly RawEvent[]
  /** What is left where the last blank line never came; null = nothing. */
  end(): RawEvent | null
}

const LINE_END = /\r\n|\n|\r/

const NAME = 'event: '
const DATA = 'data: '

/** How nearly every event is written: a line with its name, or none, and one with its data; null = in another way. */
function readPlain(raw: string): RawEvent | null {
  let event: string | null = null
  let at = 0
  if (raw.startsWith(NAME)) {
    at = raw.indexOf('\n') + 1
    event = raw.slice(NAME.length, at - 1)
  }
  const end = raw.length - 2
  const isPlain = raw.startsWith(DATA, at) && raw.endsWith('\n\n') && raw.indexOf('\n', at) === end
  return isPlain && !raw.includes('\r') ? { raw, event, data: raw.slice(at + DATA.length, end) } : null
}

function readBlock(raw: string): RawEvent {
  return readPlain(raw) ?? readLines(raw)
}

function readLines(raw: string): RawEvent {
  const isOneLine = raw.length < 3 || (raw.startsWith(':') && raw.trimEnd().search(/[\r\n]/) < 0)
  if (isOneLine) return { raw, event: null, data: null }
  let event: string | null = null
  const data: string[] = []
  for (const line of raw.replace(/^\uFEFF/, '').split(LINE_END)) {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
  }
  return { raw, event, data: data.length > 0 ? data.join('\n') : null }
}

/**
 * Cuts a stream into its events and loses no byte: together they are what came, whatever line ends it has. Each
 * character is looked at once, however small the pieces are in which a long event comes.
 * @throws RangeError where one event is larger than `maxEventCharacters`
 */
export function createRawEventReader(maxEventCharacters: number): RawEventReader {
  const texts = createUtf8Reader({ ignoreBOM: true })
  /** Of the event that is not whole yet. */
  let open: string[] = []
  let openLength = 0
  let isBlankLine = true
  /** A carriage return whose line feed may still come. */
  let heldBack = ''

  function keep(text: string): void {
    if (text !== '') open.push(text)
    openLength += text.length
    if (openLength > maxEventCharacters) throw new RangeError('An event of the stream is too large.')
  }

  function take(last: string): string {
    const raw = open.length === 0 ? last : [...open, last].join('')
    open = []
    openLength = 0
    return raw
  }

  /** The events that end in this text; what is behind them is kept. */
  function cut(text: string): RawEvent[] {
    const found: RawEvent[] = []
    let [begin, line] = [0, 0]
    let [lf, cr] = [text.indexOf('\n'), text.indexOf('\r')]
    while (lf >= 0 || cr >= 0) {
      const end = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr
      const next = end === cr && lf === cr + 1 ? end + 2 : end + 1
      if (isBlankLine && end === line) {
        found.push(readBlock(take(text.slice(begin, next))))
        begin = next
      }
      isBlankLine = true
      line = next
      if (lf >= 0 && lf < next) lf = text.indexOf('\n', next)
      if (cr >= 0 && cr < next) cr = text.indexOf('\r', next)
    }
    isBlankLine &&= line === text.length
    keep(text.slice(begin))
    return found
  }

  return {
    push(bytes) {
      const text = heldBack + texts.read(bytes)
      heldBack = text.endsWith('\r') ? '\r' : ''
      return cut(heldBack === '' ? text : text.slice(0, -1))
    },
    end() {
      const raw = take(heldBack + texts.end())
      return raw === '' ? null : readBlock(raw)
    },
  }
}
