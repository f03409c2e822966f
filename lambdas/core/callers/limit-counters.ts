import { CLIENT_LIMITS, LIMIT_NAMES, type LimitName, type LimitWindow } from './client-limits.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** One window: its number, and when it begins and ends; epoch milliseconds. */
export type WindowSpan = { id: number; startsAt: number; endsAt: number }

function spanOf(at: number, lengthMs: number): WindowSpan {
  const id = Math.floor(at / lengthMs)
  return { id, startsAt: id * lengthMs, endsAt: (id + 1) * lengthMs }
}

/** The window of an instant: windows lie side by side, from the start of the minute, the day or the month of UTC. */
export function windowAt(window: LimitWindow, at: number): WindowSpan {
  if (window === 'minute') return spanOf(at, MINUTE_MS)
  if (window === 'day') return spanOf(at, DAY_MS)
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { id: year * 12 + month, startsAt: Date.UTC(year, month), endsAt: Date.UTC(year, month + 1) }
}

/** What counts towards a limit, before the number of the window. */
const PREFIXES: Readonly<Record<LimitName, string>> = {
  requestsPerMinute: 'rm',
  tokensPerMinute: 'tm',
  requestsPerDay: 'rd',
  tokensPerDay: 'td',
  dollarsPerMonth: 'dm',
}
const LEASES = 'l'

const LEASE_MS = 90_000
/** Leases end together, so that few attributes hold them. */
const LEASE_STEP_MS = 30_000
/** When a request that goes on takes its lease anew: long before it ends, however late the timer is. */
export const LEASE_RENEWAL_MS = 60_000

/** The attribute that counts towards a limit at an instant. */
export const limitCounter = (name: LimitName, at: number): string =>
  `${PREFIXES[name]}${windowAt(CLIENT_LIMITS[name].window, at).id}`

/** The attribute of the leases that are taken at an instant: requests under way, that count no more when it has passed. */
export const leaseCounter = (at: number): string => `${LEASES}${Math.ceil((at + LEASE_MS) / LEASE_STEP_MS)}`

const numberOf = (attribute: string, prefix: string): number | null => {
  const digits = attribute.slice(prefix.length)
  return attribute.startsWith(prefix) && /^\d+$/.test(digits) ? Number(digits) : null
}

/** Whether the lease of this attribute still counts. */
export const isLeased = (attribute: string, now: number): boolean =>
  (numberOf(attribute, LEASES) ?? 0) * LEASE_STEP_MS > now

type Counters = Readonly<Record<string, number>>

/** How many requests of a caller are under way in the whole fleet. */
export const requestsUnderWay = (counters: Counters, now: number): number =>
  Math.max(
    0,
    Object.entries(counters).reduce(
      (sum, [attribute, leases]) => sum + (isLeased(attribute, now) ? leases : 0),
      0,
    ),
  )

const isPast = (attribute: string, now: number): boolean =>
  LIMIT_NAMES.some(name => {
    const id = numberOf(attribute, PREFIXES[name])
    return id !== null && id < windowAt(CLIENT_LIMITS[name].window, now).id
  }) ||
  (numberOf(attribute, LEASES) !== null && !isLeased(attribute, now))

/** Attributes of windows and leases that have ended. */
export const pastCounters = (counters: Counters, now: number): readonly string[] =>
  Object.keys(counters).filter(attribute => isPast(attribute, now))
