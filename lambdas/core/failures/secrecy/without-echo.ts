import { isJsonObject } from '../../json.ts'
import { createMarks } from './cut-marked.ts'
import { readingsOf } from './readings.ts'
import { lettersOf } from './letters.ts'
import { createWindowIndex } from './window-index.ts'

const PROMPT = '[prompt]'
/** Letters and digits in a row; about twenty characters of a text. */
const WINDOW = 16
/** What is quoted of an image or a sound is its beginning. */
const DATA_COMPARED = 4_096
const BATCH = 64 * 1024
/** Vocabulary of the API, not the client's words. */
const OF_THE_API: ReadonlySet<string> = new Set(['model', 'type', 'role', 'object'])
/** Below these the client itself names the fields. */
const NAMED_BY_CLIENTS: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'metadata',
  'input',
  'arguments',
])

/** Calls back with every text inside a value that the client wrote. */
function eachText(value: unknown, isNamed: boolean, visit: (text: string) => void): void {
  if (typeof value === 'string') visit(value.startsWith('data:') ? value.slice(0, DATA_COMPARED) : value)
  else if (Array.isArray(value)) for (const item of value) eachText(item, false, visit)
  else if (isJsonObject(value)) {
    for (const name in value) {
      const within = value[name]
      if (isNamed) visit(name)
      if (typeof within !== 'string' || isNamed || !OF_THE_API.has(name)) {
        eachText(within, NAMED_BY_CLIENTS.has(name), visit)
      }
    }
  }
}

/** The same, short texts together: each call costs more than a text does. */
function eachBatch(value: unknown, visit: (text: string) => void): void {
  let [batch, size] = [[] as string[], 0]
  const flush = (): void => {
    if (size > 0) visit(batch.join('\n'))
    batch = []
    size = 0
  }
  eachText(value, false, text => {
    batch.push(text)
    size += text.length
    if (size >= BATCH) flush()
  })
  flush()
}

/**
 * Takes out of an upstream's words what they quote of the request, in any encoding, from some twenty characters on:
 * prompts must not reach a log, and upstreams like to say which part of one they did not understand.
 * @param requests bodies: the client's own, and what it was translated to
 */
export function withoutEcho(words: string, ...requests: readonly unknown[]): string {
  const readings = readingsOf(words).filter(({ bytes }) => bytes.length >= WINDOW)
  if (readings.length === 0) return words
  const index = createWindowIndex(WINDOW)
  for (const { bytes } of readings) index.add(bytes)
  const quoted = createWindowIndex(WINDOW)
  const encoder = new TextEncoder()
  const seen = new Set<string>()
  for (const request of new Set(requests)) {
    eachBatch(request, text => {
      const bytes = lettersOf(encoder.encode(text))
      index.find(bytes, (at, window) => {
        if (seen.has(window)) return
        seen.add(window)
        quoted.add(bytes.subarray(at, at + WINDOW))
      })
    })
  }
  const marks = createMarks(words, { isParsed: false })
  for (const reading of readings) quoted.find(reading.bytes, at => marks.add(reading, at, WINDOW))
  return marks.cut(PROMPT)
}
