import { recordOf } from '../record-of.ts'

/** What is counted of a caller's requests. */
export type Counted = 'requests' | 'tokens' | 'dollars'
/** Windows begin with the minute, the day and the month of UTC. */
export type LimitWindow = 'minute' | 'day' | 'month'

type LimitRow = { counts: Counted; window: LimitWindow }

/** Every limit of a caller that is counted in windows, by its name in the configuration. */
export const CLIENT_LIMITS = {
  requestsPerMinute: { counts: 'requests', window: 'minute' },
  tokensPerMinute: { counts: 'tokens', window: 'minute' },
  requestsPerDay: { counts: 'requests', window: 'day' },
  tokensPerDay: { counts: 'tokens', window: 'day' },
  dollarsPerMonth: { counts: 'dollars', window: 'month' },
} as const satisfies Record<string, LimitRow>

export type LimitName = keyof typeof CLIENT_LIMITS

const isLimitName = (name: string): name is LimitName => Object.hasOwn(CLIENT_LIMITS, name)

export const LIMIT_NAMES: readonly LimitName[] = Object.keys(CLIENT_LIMITS).filter(isLimitName)

/** A value for each limit. */
export const perLimit = <Value>(valueOf: (name: LimitName) => Value): Record<LimitName, Value> =>
  recordOf(LIMIT_NAMES, valueOf)

/** Null = no limit. */
export type ClientLimits = Readonly<Record<LimitName, number | null>> & {
  /** Requests at a time. */
  readonly concurrency: number | null
}

/** What the configuration says of a caller. */
export type Client = {
  /** The aliases that it may use; null = all. */
  models: readonly string[] | null
  limits: ClientLimits
}

/** The name of whoever presents the generated key. */
export const DEFAULT_CLIENT = 'default'

/** Stands for every caller that has no entry of its own; each of them is counted by itself. */
export const EVERY_OTHER = '*'

/** What holds for a caller; null = nothing is said of it, so that it may use everything. */
export const clientOf = (clients: ReadonlyMap<string, Client>, name: string): Client | null =>
  clients.get(name) ?? clients.get(EVERY_OTHER) ?? null
