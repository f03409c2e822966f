import { parseExact } from '../../exact-json.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'
import { limit, MOST_NAMES, MOST_PIECES, MOST_VALUES } from '../answer-limits.ts'
import { endOfValue, measureJson, MOST_COMMAS } from '../json-nesting.ts'
import { repairJson } from './repair-json.ts'

/** What stands in the data of one event; well-made ones hold one document. */
export type EventPiece =
  /** One object; its text where it may be passed on as it came. */
  | { kind: 'document'; json: JsonObject; text: string | null }
  /** `[DONE]` */
  | { kind: 'done' }
  /** No JSON, or a value that is no object. */
  | { kind: 'text'; text: string }
  /** JSON that is cut or broken beyond certain repair. */
  | { kind: 'broken'; text: string }

const DONE = '[DONE]'
/** No answer is nested like this, and writing it out again would overflow the stack. */
export const MAX_NESTING = 256

/** Where another event was glued to one that was cut: inside a string its quote would be escaped. */
const GLUED_EVENT = /(?:\s*data:\s*|\n)(?=\{"|\[DONE\])/

/** Shorter ones cannot hold enough names to matter. */
const MANY_CHARACTERS = 128 * 1024

/** Counts the names of fields in a long text, before a parser makes an object of them. */
function limitNames(text: string): void {
  if (text.length < MANY_CHARACTERS) return
  const names = new Set<string>()
  for (let end = text.indexOf('":'); end > 0; end = text.indexOf('":', end + 2)) {
    // Inside a string its quote is escaped.
    if (text.charCodeAt(end - 1) === 0x5c) continue
    names.add(text.slice(text.lastIndexOf('"', end - 1) + 1, end))
    if (names.size > MOST_NAMES) limit(names.size, MOST_NAMES, 'names of fields in one event')
  }
}

/** Past this no repair is tried: each would be another pass over megabytes. */
const MOST_REPAIRED_CHARACTERS = 1024 * 1024

/** Whether no parser may be given the text. Throws `AnswerLimitError` where it holds too much. */
function isTooDeep(text: string): boolean {
  if (text.length <= 2 * MAX_NESTING) return false
  const { depth, values, commas } = measureJson(text, MOST_VALUES)
  limit(values, MOST_VALUES, 'objects, lists and strings in one event')
  limit(commas, MOST_COMMAS, 'entries in one event')
  limitNames(text)
  return depth > MAX_NESTING
}

function parse(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}

function piecesOf(value: unknown, text: string, isExact: boolean): readonly EventPiece[] {
  if (isJsonObject(value)) return [{ kind: 'document', json: value, text: isExact ? text : null }]
  const entries: readonly unknown[] = Array.isArray(value) ? value : []
  // Google's hosts send errors, and some relays chunks, as lists.
  return entries.length > 0 && entries.every(isJsonObject)
    ? entries.map(json => ({ kind: 'document', json, text: null }))
    : [{ kind: 'text', text }]
}

function readExactly(text: string): readonly EventPiece[] | null {
  const exact = parse(text)
  return exact === undefined ? null : piecesOf(exact, text, true)
}

/** One JSON value that is whole, repaired where need be; null where it cannot be read. */
function readValue(text: string): readonly EventPiece[] | null {
  const exact = readExactly(text)
  if (exact) return exact
  const repaired = repairJson(text)
  const value = repaired === text ? undefined : parse(repaired)
  return value === undefined ? null : piecesOf(value, repaired, false)
}

/** The documents of a text that is no single one, as far as they can be told apart. */
function splitValues(text: string): readonly EventPiece[] {
  const pieces: EventPiece[] = []
  for (let start = 0; start < text.length;) {
    const rest = text.slice(start, start + DONE.length)
    limit(pieces.length, MOST_PIECES, 'documents in one event')
    if (/^\s/.test(rest)) start += 1
    else if (rest === DONE) {
      pieces.push({ kind: 'done' })
      start += DONE.length
    } else if (/^[{[]/.test(rest)) {
      const end = endOfValue(text, start)
      const value = text.slice(start, end < 0 ? text.length : end)
      pieces.push(...((end < 0 ? null : readValue(value)) ?? [{ kind: 'broken', text: value } as const]))
      start += value.length
    } else {
      // What looks like JSON behind words may be the tail of an event whose head is lost.
      pieces.push({ kind: 'text', text: text.slice(start).trim() })
      break
    }
  }
  return pieces
}

/**
 * Everything that the data of one event holds, in order. Repairs what is certain: control characters, numbers that
 * are none, several documents or `[DONE]` glued together, also with their `data:`. Throws `AnswerLimitError`.
 */
export function readEventPieces(data: string): readonly EventPiece[] {
  if (data.trim() === DONE) return [{ kind: 'done' }]
  // Most of what is no JSON is told by its first character, and a parser that throws is slow.
  const isOther = !/^\s*[{[]/.test(data)
  if (isOther && !GLUED_EVENT.test(data)) return [{ kind: 'text', text: data }]
  if (isTooDeep(data)) return [{ kind: 'broken', text: data }]
  if (data.length > MOST_REPAIRED_CHARACTERS) return readExactly(data) ?? [{ kind: 'broken', text: data }]
  return readValue(data) ?? data.split(GLUED_EVENT).flatMap(splitValues)
}
