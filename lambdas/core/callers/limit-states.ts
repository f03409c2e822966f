import { CLIENT_LIMITS, LIMIT_NAMES, type ClientLimits, type LimitName } from './client-limits.ts'
import { limitCounter, requestsUnderWay, windowAt } from './limit-counters.ts'

/** How one limit of a caller stands. */
export type LimitState = {
  name: LimitName | 'concurrency'
  limit: number
  used: number
  /** When its window began, and ends; null = it has none. Epoch milliseconds. */
  startedAt: number | null
  resetAt: number | null
}

/** What one request takes, by estimate; the prompt alone must fit. */
export type RequestCost = { promptTokens: number; tokens: number; dollars: number }

/** How the declared limits of a caller stand, by what is counted. */
export function limitStates(
  limits: ClientLimits,
  counters: Readonly<Record<string, number>>,
  now: number,
): readonly LimitState[] {
  const windows = LIMIT_NAMES.flatMap((name): LimitState[] => {
    const limit = limits[name]
    if (limit === null) return []
    const { startsAt, endsAt } = windowAt(CLIENT_LIMITS[name].window, now)
    const used = Math.max(0, counters[limitCounter(name, now)] ?? 0)
    return [{ name, limit, used, startedAt: startsAt, resetAt: endsAt }]
  })
  if (limits.concurrency === null) return windows
  const used = requestsUnderWay(counters, now)
  return [
    ...windows,
    { name: 'concurrency', limit: limits.concurrency, used, startedAt: null, resetAt: null },
  ]
}

/**
 * What a request takes of a limit. An estimate beyond the limit takes all of it, so that an unused limit admits every
 * request whose prompt fits.
 */
export function takes({ name, limit }: LimitState, { promptTokens, tokens, dollars }: RequestCost): number {
  if (name === 'concurrency') return 1
  switch (CLIENT_LIMITS[name].counts) {
    case 'requests':
      return 1
    case 'tokens':
      return Math.max(promptTokens, Math.min(tokens, limit))
    case 'dollars':
      return Math.min(dollars, limit)
  }
}

/** What `before` holds leaves no room for one more request. */
export const isOver = (state: LimitState, before: number, cost: RequestCost): boolean =>
  before >= state.limit || before + takes(state, cost) > state.limit

/** Requests that may come from elsewhere before their count is known here. */
const LEAST_OTHERS = 10
const OTHERS_PER_REQUEST = 4

/**
 * Whether what is left of a limit may be taken by others before this instance knows: the fleet is thought to begin so
 * many requests of this size in every second since anything was known of the window, and more where many are under way.
 */
export function isNearlySpent(
  state: LimitState,
  cost: RequestCost,
  { knownAt, underWay, now }: { knownAt: number; underWay: number; now: number },
): boolean {
  const unknownMs = now - Math.max(knownAt, state.startedAt ?? 0)
  const others = Math.max(LEAST_OTHERS, OTHERS_PER_REQUEST * underWay) * (1 + unknownMs / 1_000)
  return state.limit - state.used < takes(state, cost) * (1 + others)
}
