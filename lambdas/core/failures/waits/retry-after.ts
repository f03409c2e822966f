import { waitUntilNamedTime } from './calendar-time.ts'
import { parseDuration } from './duration.ts'
import { readErrorEnvelope, type ErrorEnvelope } from '../envelope/error-envelope.ts'
import { parseReset, waitFromResetHeaders } from './reset-headers.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'

/** A wait beyond a day is not believed, unless the text itself speaks of a month. */
export const LONGEST_WAIT_MS = 24 * 60 * 60 * 1_000
export const LONGEST_MONTHLY_WAIT_MS = 31 * LONGEST_WAIT_MS

export type WaitHints = {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly envelope: ErrorEnvelope
  /** Epoch milliseconds. */
  readonly now: number
  /** Whether the answer is a 429. */
  readonly limited: boolean
  /** The zone of a reset time that names none, such as `+08:00`; UTC where not given. */
  readonly zone?: string | undefined
}

/**
 * How long the upstream asks us to wait, from every hint it may give.
 * @param headers lower-case names
 * @param body as received
 * @param now epoch milliseconds
 * @returns milliseconds, at most 24 h (31 d where the text says month); null where nothing readable is stated
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  body: string | null,
  now: number,
): number | null {
  return waitFromHints({ headers, envelope: readErrorEnvelope(body, headers), now, limited: true })
}

/** The same for an envelope that has been read already; the order of the hints is that of their precision. */
export function waitFromHints({ headers, envelope, now, limited, zone }: WaitHints): number | null {
  const text = `${envelope.message} ${envelope.inner}`
  const wait =
    fromMilliseconds(headers['retry-after-ms']) ??
    fromMilliseconds(headers['x-ms-retry-after-ms']) ??
    fromFields(envelope.document, now) ??
    fromProse(text) ??
    fromRetryAfter(headers['retry-after'], now) ??
    fromDateInProse(text, now, zone) ??
    waitUntilNamedTime(text, now, zone) ??
    waitFromResetHeaders(headers, now, limited) ??
    waitFromResetHeaders(quotedHeaders(envelope.document), now, limited)
  if (wait === null || !Number.isFinite(wait) || wait < 0) return null
  return Math.round(Math.min(wait, /month/i.test(text) ? LONGEST_MONTHLY_WAIT_MS : LONGEST_WAIT_MS))
}

function fromMilliseconds(value: string | undefined): number | null {
  const text = value?.split(',')[0]?.trim() ?? ''
  return /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? positive(Number(text)) : null
}

/** A wait of nothing, or one that has passed, is none that was stated. */
const positive = (wait: number | null): number | null =>
  wait !== null && Number.isFinite(wait) && wait > 0 ? wait : null

/** RFC 9110, section 10.2.3: seconds or a date; seen in the wild also as an instant, with fractions, or as a list. */
const fromRetryAfter = (value: string | undefined, now: number): number | null =>
  value === undefined ? null : positive(parseReset(value, now))

const SECONDS_FIELDS = [
  'estimated_time',
  'retry_after',
  'retryAfter',
  'retry_after_seconds',
  'retryAfterSeconds',
  'resets_in_seconds',
  'reset_in_seconds',
  'resets_in',
  'reset_in',
]
const MILLISECONDS_FIELDS = ['retry_after_ms', 'retryAfterMs']
const INSTANT_FIELDS = ['resets_at', 'reset_at', 'resetsAt', 'resetAt', 'reset_time', 'resetTime']
const RESET_FIELDS = [...SECONDS_FIELDS.filter(name => name.startsWith('reset')), ...INSTANT_FIELDS]

/** Whether an error says in a field of its own when a limit ends. */
export function statesReset(document: unknown): boolean {
  return errorParts(document).some(part => RESET_FIELDS.some(name => textOf(part[name]) !== null))
}

function textOf(value: unknown): string | null {
  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? String(value) : null
}

function fromFields(document: unknown, now: number): number | null {
  for (const part of errorParts(document)) {
    const details = Array.isArray(part.details) ? part.details.filter(isJsonObject) : []
    const delay = details.map(detail => detail.retryDelay).find(value => typeof value === 'string')
    const stated =
      (typeof delay === 'string' ? positive(parseDuration(delay)) : null) ??
      firstOf(SECONDS_FIELDS, part, text => parseReset(text, now)) ??
      firstOf(MILLISECONDS_FIELDS, part, fromMilliseconds) ??
      firstOf(INSTANT_FIELDS, part, text => parseReset(text, now))
    if (stated !== null) return stated
  }
  return null
}

function firstOf(
  names: readonly string[],
  part: JsonObject,
  read: (text: string) => number | null,
): number | null {
  for (const name of names) {
    const text = textOf(part[name])
    const wait = text === null ? null : positive(read(text))
    if (wait !== null) return wait
  }
  return null
}

function quotedHeaders(document: unknown): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const part of errorParts(document)) {
    if (!isJsonObject(part.headers)) continue
    for (const [name, value] of Object.entries(part.headers).slice(0, 40))
      headers[name.toLowerCase()] = String(value)
  }
  return headers
}

/** The objects in which an error keeps machine-readable hints. */
function errorParts(document: unknown): JsonObject[] {
  const root: unknown = Array.isArray(document) ? document[0] : document
  if (!isJsonObject(root)) return []
  const error = isJsonObject(root.error) ? root.error : {}
  return [error, error.metadata, error.detail, root, root.metadata, root.detail].filter(isJsonObject)
}

const LEAD_IN =
  /(?:try(?:ing)? again|retry(?:ing)?|please wait|wait|available(?: again)?|resets?|reset)(?:\s(?:in|after|for|within))?\s(?:about |approximately |at least )?(?=\d)/gi

function fromProse(text: string): number | null {
  for (const lead of text.matchAll(LEAD_IN)) {
    const rest = text.slice(lead.index + lead[0].length, lead.index + lead[0].length + 80)
    const wait = /^\d{4}-\d\d|^\d{1,2}:\d\d/.test(rest) ? null : positive(parseDuration(rest, 1_000))
    if (wait !== null) return wait
  }
  const chinese = /(\d{1,9}(?:\.\d{1,3})?\s?(?:秒|分钟|小时|天))\s?(?:后|之后)/.exec(text)
  return chinese?.[1] ? parseDuration(chinese[1]) : null
}

const DATED =
  /(?:reset(?:s)?(?: at| on)?|regain access(?: on)?|available(?: again)?(?: at| on)|(?:try again|retry) (?:at|on|after)|until|将在|于)[\s:]{0,3}(\d{4}-\d\d-\d\d)(?:(?:T|\s(?:at\s)?)(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?\s?(Z|UTC|GMT|[+-]\d\d:?\d\d)?/i

function fromDateInProse(text: string, now: number, zone = 'Z'): number | null {
  const found = DATED.exec(text)
  if (!found) return null
  const [, day, time = '00:00', named] = found
  const offset = named === undefined ? zone : /^[zug]/i.test(named) ? 'Z' : named
  const instant = Date.parse(`${day}T${time}${offset}`)
  return positive(instant - now)
}
