import { parseDuration } from './duration.ts'
import { readErrorEnvelope, type ErrorEnvelope } from './error-envelope.ts'
import { parseReset, waitFromResetHeaders } from './reset-headers.ts'
import { isJsonObject, type JsonObject } from '../json.ts'

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
    fromFields(envelope.document) ??
    fromProse(text) ??
    fromRetryAfter(headers['retry-after'], now) ??
    fromDateInProse(text, now, zone) ??
    waitFromResetHeaders(headers, now, limited) ??
    waitFromResetHeaders(quotedHeaders(envelope.document), now, limited)
  if (wait === null || !Number.isFinite(wait) || wait < 0) return null
  return Math.round(Math.min(wait, /month/i.test(text) ? LONGEST_MONTHLY_WAIT_MS : LONGEST_WAIT_MS))
}

function fromMilliseconds(value: string | undefined): number | null {
  const text = value?.split(',')[0]?.trim() ?? ''
  return /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : null
}

/** RFC 9110, section 10.2.3: seconds or a date; seen in the wild also with fractions and folded into a list. */
function fromRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null
  const first = value.split(',')[0]?.trim() ?? ''
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(first)) return Number(first) * 1_000
  if (/^\d[\dhms.]{1,30}$/.test(first)) return parseDuration(first)
  return parseReset(value, now)
}

function fromFields(document: unknown): number | null {
  for (const part of errorParts(document)) {
    const details = Array.isArray(part.details) ? part.details.filter(isJsonObject) : []
    const delay = details.map(detail => detail.retryDelay).find(value => typeof value === 'string')
    const stated = typeof delay === 'string' ? parseDuration(delay) : null
    if (stated !== null) return stated
    const seconds = [part.estimated_time, part.retry_after, part.retryAfter, part.retry_after_seconds]
    for (const value of seconds) {
      if ((typeof value === 'number' || typeof value === 'string') && isAmount(value))
        return Number(value) * 1_000
    }
    const milliseconds = part.retry_after_ms ?? part.retryAfterMs
    if (typeof milliseconds === 'number' && isAmount(milliseconds)) return milliseconds
  }
  return null
}

function isAmount(value: number | string): boolean {
  return value !== '' && Number.isFinite(Number(value)) && Number(value) >= 0
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
  return [error, error.metadata, root, root.metadata].filter(isJsonObject)
}

const LEAD_IN =
  /(?:try(?:ing)? again|retry(?:ing)?|please wait|wait|available(?: again)?|resets?|reset)(?:\s(?:in|after|for|within))?\s(?:about |approximately |at least )?(?=\d)/gi

function fromProse(text: string): number | null {
  for (const lead of text.matchAll(LEAD_IN)) {
    const rest = text.slice(lead.index + lead[0].length, lead.index + lead[0].length + 80)
    const wait = /^\d{4}-\d\d/.test(rest) ? null : parseDuration(rest, 1_000)
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
  return Number.isFinite(instant) && instant >= now ? instant - now : null
}
