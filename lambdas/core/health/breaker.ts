import type { Settings } from '../settings/settings.ts'

/** Breaker of one provider; instants in epoch milliseconds. */
export type Breaker =
  | { state: 'closed' }
  | { state: 'open'; openedAt: number }
  /** One trial is out; when its lease has passed without a report, another may be taken. */
  | { state: 'half-open'; openedAt: number; trialStartedAt: number; leaseUntil: number }

/** What the window of a provider holds. */
export type Tally = { successes: number; failures: number }

export type BreakerEvent =
  /** A failure that counts, and the window with it. */
  | { kind: 'failure'; at: number; tally: Tally }
  | { kind: 'trial_claimed'; at: number }
  | { kind: 'trial_succeeded' }
  | { kind: 'trial_failed'; at: number; claimedAt?: number }
  /** The trial ended without saying anything about the provider: a rate limit, a client that left. */
  | { kind: 'trial_undecided'; at: number; claimedAt?: number }

type BreakerSettings = Pick<
  Settings,
  'breaker_failure_rate' | 'breaker_min_requests' | 'breaker_open_ms' | 'breaker_trial_lease_ms'
>

const CLOSED: Breaker = { state: 'closed' }

/** When the next trial is due; null while the breaker is closed. */
export function trialAt(breaker: Breaker, { breaker_open_ms }: BreakerSettings): number | null {
  switch (breaker.state) {
    case 'closed':
      return null
    case 'open':
      return breaker.openedAt + breaker_open_ms
    case 'half-open':
      return breaker.leaseUntil
  }
}

/** A trial that reports after its lease says nothing about the one that took its place. */
const isOver = (breaker: Breaker, claimedAt: number | undefined): boolean =>
  breaker.state === 'half-open' && (claimedAt === undefined || claimedAt === breaker.trialStartedAt)

const trips = ({ successes, failures }: Tally, settings: BreakerSettings): boolean => {
  const total = successes + failures
  return total >= settings.breaker_min_requests && failures / total > settings.breaker_failure_rate
}

/**
 * A breaker after one event. Pure.
 *
 * | event                         | closed | open                       | half-open                |
 * |-------------------------------|--------|----------------------------|--------------------------|
 * | failure, rate not exceeded    | closed | open                       | half-open                |
 * | failure, rate exceeded        | open   | open (timer not restarted) | half-open                |
 * | trial claimed, due            | closed | half-open                  | half-open, lease renewed |
 * | trial claimed, not due        | closed | open                       | half-open                |
 * | trial succeeded               | closed | closed                     | closed                   |
 * | trial failed                  | closed | open                       | open, timer restarted    |
 * | trial undecided               | closed | open                       | open, trial due at once  |
 *
 * Failures of attempts that began before the opening never restart its timer, and a trial whose lease has passed to
 * another one (`claimedAt` tells) can only close the breaker.
 */
export function breakerAfter(breaker: Breaker, event: BreakerEvent, settings: BreakerSettings): Breaker {
  switch (event.kind) {
    case 'failure':
      return breaker.state === 'closed' && trips(event.tally, settings)
        ? { state: 'open', openedAt: event.at }
        : breaker
    case 'trial_claimed': {
      const due = trialAt(breaker, settings)
      if (breaker.state === 'closed' || due === null || event.at < due) return breaker
      const leaseUntil = event.at + settings.breaker_trial_lease_ms
      return { state: 'half-open', openedAt: breaker.openedAt, trialStartedAt: event.at, leaseUntil }
    }
    case 'trial_succeeded':
      return CLOSED
    case 'trial_failed':
      return isOver(breaker, event.claimedAt) ? { state: 'open', openedAt: event.at } : breaker
    case 'trial_undecided':
      return isOver(breaker, event.claimedAt)
        ? { state: 'open', openedAt: event.at - settings.breaker_open_ms }
        : breaker
  }
}
