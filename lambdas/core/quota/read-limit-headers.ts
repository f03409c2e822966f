import { parseReset } from '../failures/waits/reset-headers.ts'
import { QUOTAS, type QuotaName } from './quotas.ts'

/** What the headers of one answer say of a limit. */
export type StatedLimit = {
  name: QuotaName
  limit: number
  remaining: number
  /** When the window ends, or the bucket is full. Epoch milliseconds. */
  endsAt: number
}

type Headers = Readonly<Record<string, string>>
type Fields = { limit?: string; remaining?: string; reset?: string }
type Context = {
  /** When the answer came. */
  now: number
  /** Its headers about requests count days. */
  requestsCountDays: boolean
}

const RATE_LIMIT = /^(?:x-|anthropic-)?rate-?limit-(.+)$/
const FIELDS = ['limit', 'remaining', 'reset'] as const
/** What may stand beside them: a limit of anything else (images, input tokens alone) is another matter. */
const KNOWN_WORDS = /^(?:requests?|req|tokens?|minute|day|daily)$/
const A_DAY_MS = QUOTAS.requestsPerDay.windowMs
/** A limit of seconds ends before anybody could keep it. */
const SHORTEST_MS = 1_500
/** Longer than any minute. */
const LONGER_THAN_A_MINUTE_MS = 61_500
/** Whoever writes whole seconds may have rounded down. */
const ROUNDED_MS = 1_000

/** The fields of each dimension: `x-ratelimit-remaining-tokens` and `anthropic-ratelimit-tokens-remaining` alike. */
function dimensionsOf(headers: Headers): ReadonlyMap<string, Fields> {
  const dimensions = new Map<string, Fields>()
  for (const [header, value] of Object.entries(headers)) {
    const words = RATE_LIMIT.exec(header)?.[1]?.split('-') ?? []
    const [field, ...others] = FIELDS.filter(name => words.includes(name))
    const rest = words.filter(word => word !== field)
    if (field === undefined || others.length > 0 || !rest.every(word => KNOWN_WORDS.test(word))) continue
    const dimension = rest.join('-')
    dimensions.set(dimension, { ...dimensions.get(dimension), [field]: value })
  }
  return dimensions
}

const wholeNumber = (text: string | undefined): number | null => {
  const number = Number(/^\d{1,15}(?=$|[,;\s])/.exec(text?.trim() ?? '')?.[0] ?? Number.NaN)
  return Number.isSafeInteger(number) ? number : null
}

/** `60` of `100;w=60`. */
const windowOf = (limit: string | undefined): number | null =>
  wholeNumber(/;\s?w=(\d+)/.exec(limit ?? '')?.[1])

function isDayLong(
  dimension: string,
  limit: string | undefined,
  resetMs: number | null,
  counted: boolean,
): boolean | null {
  if (/\b(?:day|daily)\b/.test(dimension)) return true
  if (/\bminute\b/.test(dimension)) return false
  const seconds = windowOf(limit)
  if (seconds !== null) return seconds === 60 ? false : seconds === 86_400 ? true : null
  if (counted) return true
  if (resetMs === null || resetMs < SHORTEST_MS) return null
  return resetMs > LONGER_THAN_A_MINUTE_MS
}

function nameOf(dimension: string, isDay: boolean): QuotaName {
  const counts = /\btokens?\b/.test(dimension) ? 'tokens' : 'requests'
  return isDay ? `${counts}PerDay` : `${counts}PerMinute`
}

/** The limits of minutes and days that an answer's headers state whole. Headers with lower-case names. */
export function readLimitHeaders(
  headers: Headers,
  { now, requestsCountDays }: Context,
): readonly StatedLimit[] {
  return [...dimensionsOf(headers)].flatMap(([dimension, fields]) => {
    const [limit, remaining] = [wholeNumber(fields.limit), wholeNumber(fields.remaining)]
    if (limit === null || limit === 0 || remaining === null || remaining > limit) return []
    const resetMs = fields.reset === undefined ? null : parseReset(fields.reset, now)
    const isDay = isDayLong(
      dimension,
      fields.limit,
      resetMs,
      requestsCountDays && !dimension.includes('token'),
    )
    if (isDay === null || (resetMs !== null && resetMs > A_DAY_MS)) return []
    const name = nameOf(dimension, isDay)
    const roundedMs = /^\d{1,9}s?$/.test(fields.reset?.trim() ?? '') ? ROUNDED_MS : 0
    return [{ name, limit, remaining, endsAt: now + (resetMs ?? QUOTAS[name].windowMs) + roundedMs }]
  })
}
