import { isJsonObject } from '../../json.ts'
import { createMarks } from './cut-marked.ts'
import { readingsOf } from './readings.ts'
import { skeletonOf } from './skeleton.ts'
import { createWindowIndex } from './window-index.ts'

const PROMPT = '[prompt]'
/** Letters and digits in a row; about twenty characters of a text. */
const WINDOW = 16
/** What is quoted of an image or a sound is its beginning. */
const DATA_COMPARED = 4_096
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

/** Every text inside a value that the client wrote. */
function* textsIn(value: unknown, isNamed = false): Generator<string> {
  if (typeof value === 'string') yield value.startsWith('data:') ? value.slice(0, DATA_COMPARED) : value
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item)
  else if (isJsonObject(value)) {
    for (const [name, within] of Object.entries(value)) {
      if (isNamed) yield name
      if (typeof within !== 'string' || isNamed || !OF_THE_API.has(name)) {
        yield* textsIn(within, NAMED_BY_CLIENTS.has(name))
      }
    }
  }
}

/**
 * Takes out of an upstream's words what they quote of the request, in any encoding, from some twenty characters on:
 * prompts must not reach a log, and upstreams like to say which part of one they did not understand.
 * @param requests bodies: the client's own, and what it was translated to
 */
export function withoutEcho(words: string, ...requests: readonly unknown[]): string {
  const readings = readingsOf(words)
  const index = createWindowIndex(WINDOW)
  for (const { bytes } of readings) index.add(bytes)
  const quoted = createWindowIndex(WINDOW)
  const encoder = new TextEncoder()
  const seen = new Set<string>()
  for (const request of new Set(requests)) {
    for (const text of textsIn(request)) {
      const { bytes } = skeletonOf(encoder.encode(text))
      index.find(bytes, (at, window) => {
        if (seen.has(window)) return
        seen.add(window)
        quoted.add(bytes.subarray(at, at + WINDOW))
      })
    }
  }
  const marks = createMarks(words, { isParsed: false })
  for (const reading of readings) quoted.find(reading.bytes, at => marks.add(reading, at, WINDOW))
  return marks.cut(PROMPT)
}
