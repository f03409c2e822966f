/** One event of a stream: as it came, to the byte, and what it says. Comments and blank lines are events without data. */
export type RawEvent = { raw: string; event: string | null; data: string | null }

export type RawEventReader = {
  /** The events that these bytes complete. */
  push(bytes: Uint8Array): readonly RawEvent[]
  /** What is left where the last blank line never came; null = nothing. */
  end(): RawEvent | null
}

const LINE_END = /\r\n|\n|\r/

function readBlock(raw: string): RawEvent {
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

/** Where the line that begins here ends, and where the next one begins; null = not known yet. */
function lineEnd(text: string, from: number): { end: number; next: number } | null {
  for (let place = from; place < text.length; place += 1) {
    if (text[place] === '\n') return { end: place, next: place + 1 }
    if (text[place] !== '\r') continue
    // The line feed that may belong to it is still to come.
    if (place + 1 === text.length) return null
    return { end: place, next: text[place + 1] === '\n' ? place + 2 : place + 1 }
  }
  return null
}

/**
 * Cuts a stream into its events and loses no byte: together they are what came, whatever line ends it has.
 * @throws RangeError where one event is larger than `maxEventCharacters`
 */
export function createRawEventReader(maxEventCharacters: number): RawEventReader {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let text = ''
  /** Where the line begins that is not whole yet, and from where on its end was not looked for. */
  let line = 0
  let looked = 0

  function cut(): RawEvent[] {
    const found: RawEvent[] = []
    let begin = 0
    for (let at = lineEnd(text, looked); at; at = lineEnd(text, looked)) {
      if (at.end === line) {
        found.push(readBlock(text.slice(begin, at.next)))
        begin = at.next
      }
      line = looked = at.next
    }
    looked = Math.max(looked, text.length - 1)
    text = text.slice(begin)
    line -= begin
    looked -= begin
    if (text.length > maxEventCharacters) throw new RangeError('An event of the stream is too large.')
    return found
  }

  return {
    push(bytes) {
      text += decoder.decode(bytes, { stream: true })
      return cut()
    },
    end() {
      text += decoder.decode()
      return text === '' ? null : readBlock(text)
    },
  }
}
