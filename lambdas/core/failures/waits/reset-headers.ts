import { parseDuration } from './duration.ts'

/** Values above these are instants, not spans: one is 2001 in seconds, the other 2001 in milliseconds. */
const EPOCH_SECONDS_FROM = 1e9
const EPOCH_MILLISECONDS_FROM = 1e12

/**
 * The wait that rate limit headers state: the longest reset among the dimensions whose `remaining` is 0, or whose
 * `status` says that they are over.
 * @param headers lower-case names
 * @param now epoch milliseconds
 * @param limited whether the answer is a 429: then a lone `x-ratelimit-reset` counts without a `remaining`
 * @returns milliseconds, or null where nothing is spent or readable
 */
export function waitFromResetHeaders(
  headers: Readonly<Record<string, string>>,
  now: number,
  limited: boolean,
): number | null {
  const waits: number[] = []
  for (const [name, value] of Object.entries(headers)) {
    if (!/rate-?limit/.test(name) || !/(?:^|-)reset(?:-|$)/.test(name)) continue
    const [remaining, status] = ['remaining', 'status'].map(
      word => headers[name.replace(/(^|-)reset(?=-|$)/, `$1${word}`)],
    )
    const plain = /^(?:x-)?rate-?limit-reset$/.test(name)
    const refused = status === undefined ? plain : /reject|exceed|exhaust|block/i.test(status)
    const spent = remaining === undefined ? refused && limited : isSpent(remaining)
    const wait = spent ? parseReset(value, now) : null
    if (wait !== null && wait > 0) waits.push(wait)
  }
  waits.push(...waitsOfPolicies(headers.ratelimit ?? ''))
  return waits.length > 0 ? Math.max(...waits) : null
}

/**
 * The waits of spent policies in a structured field: `"day";r=0;t=45`, before that `remaining=0, reset=45`.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers
 */
function waitsOfPolicies(field: string): readonly number[] {
  const policies = /\bremaining=/.test(field) ? [field] : field.split(',')
  return policies.flatMap(policy => {
    const seconds = /\b(?:t|reset)=(\d{1,9})(?!\d)/.exec(policy)?.[1]
    const isOver = /\b(?:r|remaining)=0(?![\d.])/.test(policy)
    return isOver && seconds !== undefined && Number(seconds) > 0 ? [Number(seconds) * 1_000] : []
  })
}

/** Whether a dimension that counts days is spent: its quota is gone for the day, not for the minute. */
export function isDaySpent(headers: Readonly<Record<string, string>>, requestsCountDays: boolean): boolean {
  return Object.entries(headers).some(
    ([name, value]) =>
      /rate-?limit.*remaining/.test(name) &&
      (/(?:^|-)(?:day|daily)(?:-|$)/.test(name) ||
        (requestsCountDays && name.endsWith('remaining-requests'))) &&
      isSpent(value),
  )
}

function isSpent(remaining: string): boolean {
  return remaining.trim() !== '' && Number(remaining) <= 0
}

/**
 * One reset value in any of its forms: Go duration, seconds (float), epoch seconds or milliseconds, a date.
 * @returns milliseconds from `now`; null for what is past, negative or unreadable
 */
export function parseReset(value: string, now: number): number | null {
  const text = value.split(',')[0]?.trim() ?? ''
  if (/^\d{1,16}(?:\.\d{1,20})?$/.test(text)) {
    const amount = Number(text)
    if (amount >= EPOCH_MILLISECONDS_FROM) return future(amount, now)
    if (amount >= EPOCH_SECONDS_FROM) return future(amount * 1_000, now)
    return amount * 1_000
  }
  if (/^\d[\dhms.]{0,30}$|^P[\dTWDHMS.]{1,30}$/i.test(text)) return parseDuration(text)
  return /^\d{4}-\d\d-\d\d|^[A-Z][a-z]{2,8},? /.test(value.trim())
    ? future(Date.parse(value.trim()), now)
    : null
}

function future(instant: number, now: number): number | null {
  return Number.isFinite(instant) && instant > now ? instant - now : null
}
