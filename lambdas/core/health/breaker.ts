import type { FailureKind } from '../failures/kinds.ts'
import { LONGEST_GUESS_MS, stepAfter, waitAfter, type Ladder } from './ladder.ts'

/** What we believe ourselves, because nobody told us how long to wait. Instants in epoch milliseconds. */
export type Guess = {
  kind: FailureKind
  /** How many trials have failed in a row. */
  step: number
  /** When the trouble began: the first opening. */
  since: number
  openedAt: number
  /** When the next trial is due. */
  until: number
  /** A limit on simultaneous requests. */
  slots: boolean
}

/** What the upstream asked for. */
export type StatedWait = { kind: FailureKind; until: number; at: number }

/** The one call of the whole fleet that goes through; `at` names it. */
export type Trial = {
  at: number
  leaseUntil: number
  /** It was let through before its time, because nothing else was left: if it fails, nothing climbs. */
  early: boolean
}

/** What bars a provider, an endpoint, or the scope of a limit for a time: the same mechanism for all of them. */
export type Breaker =
  | { state: 'closed' }
  /** Barred by what was stated, by a guess, or by both; a guess past its end is half-open until it is tried. */
  | { state: 'open'; guess: Guess | null; stated: StatedWait | null; triedAt: number | null }
  | { state: 'half-open'; guess: Guess; stated: StatedWait | null; trial: Trial }

export type BreakerEvent =
  | {
      kind: 'failed'
      at: number
      cause: FailureKind
      ladder: Ladder
      /** What the upstream asked for, in milliseconds, clamped; null = it did not say. */
      statedMs: number | null
      /** Instead of the first wait of the ladder. */
      firstWaitMs?: number
      /** It is a limit on simultaneous requests. */
      slots?: boolean
    }
  | { kind: 'trial_claimed'; at: number; leaseMs: number; early: { everyMs: number } | null }
  /**
   * First output; of a call that was no trial it counts where it began after the opening. A silence that had been
   * counted as a failure ends with it, whenever it began.
   */
  | { kind: 'succeeded'; startedAt: number; claimedAt: number | null; wasSilent?: boolean }
  | {
      kind: 'trial_failed'
      at: number
      claimedAt: number
      cause: FailureKind
      ladder: Ladder
      statedMs: number | null
    }
  /** The trial ended without saying anything: a limit elsewhere, a client that left. */
  | { kind: 'trial_undecided'; at: number; claimedAt: number }
  /** One of the calls that a limit on simultaneous requests counts has ended. */
  | { kind: 'slot_freed'; at: number }
  /** A probe or an operator has shown that it is over, statements of money included. */
  | { kind: 'lifted'; stated: boolean }
  /** Its provider's breaker has closed. */
  | { kind: 'forgotten' }

type OpenBreaker = Exclude<Breaker, { state: 'closed' }>

export const CLOSED: Breaker = { state: 'closed' }

/** After a long time a last resort is tried less often, in milliseconds. */
const OLD_TROUBLE_MS = 15 * 60_000
const OLD_TROUBLE_EVERY_MS = 30_000

/** Where a breaker without guess and statement is none. */
function openOr(guess: Guess | null, stated: StatedWait | null, triedAt: number | null): Breaker {
  return guess || stated ? { state: 'open', guess, stated, triedAt } : CLOSED
}

const withoutGuess = ({ stated }: OpenBreaker): Breaker => openOr(null, stated, null)

/** What has ended and would be forgotten says nothing any more. */
export function currentBreaker(breaker: Breaker, now: number): Breaker {
  if (breaker.state === 'closed') return breaker
  const stated = breaker.stated && breaker.stated.until > now ? breaker.stated : null
  const guess = breaker.guess && breaker.guess.until + LONGEST_GUESS_MS > now ? breaker.guess : null
  if (stated === breaker.stated && guess === breaker.guess) return breaker
  if (breaker.state === 'half-open' && guess) return { ...breaker, stated }
  return openOr(guess, stated, breaker.state === 'open' ? breaker.triedAt : null)
}

/** The longest that anything may be barred from now on, in milliseconds. */
export type LongestBar = { guessMs: number; statedMs: number; leaseMs: number }

/**
 * A breaker as its item may be believed: instants of a clock that runs ahead of ours, or that somebody made up, bar for
 * no longer than a guess or a statement of that kind could.
 */
export function boundedBreaker(breaker: Breaker, longest: LongestBar, now: number): Breaker {
  if (breaker.state === 'closed') return breaker
  const past = (at: number): number => Math.min(at, now)
  const stated = breaker.stated && {
    ...breaker.stated,
    at: past(breaker.stated.at),
    until: Math.min(breaker.stated.until, now + longest.statedMs),
  }
  const guess = breaker.guess && {
    ...breaker.guess,
    since: past(breaker.guess.since),
    openedAt: past(breaker.guess.openedAt),
    until: Math.min(breaker.guess.until, now + longest.guessMs),
  }
  if (breaker.state === 'open' || !guess) {
    const triedAt = breaker.state === 'open' && breaker.triedAt !== null ? past(breaker.triedAt) : null
    return { state: 'open', guess, stated, triedAt }
  }
  const leaseUntil = Math.min(breaker.trial.leaseUntil, now + longest.leaseMs)
  // `at` names the trial, for the one who has it out.
  return { ...breaker, guess, stated, trial: { ...breaker.trial, leaseUntil } }
}

/** When a call may go through although the guess has not ended; a failure that opened it was a call too. */
export function earlyTrialAt(breaker: Breaker, everyMs: number, now: number): number {
  if (breaker.state === 'closed' || !breaker.guess) return now
  const { since, openedAt } = breaker.guess
  const tried = breaker.state === 'half-open' ? Math.min(breaker.trial.at, now) : (breaker.triedAt ?? 0)
  const last = Math.max(openedAt, tried)
  const due = last + (now - since > OLD_TROUBLE_MS ? Math.max(everyMs, OLD_TROUBLE_EVERY_MS) : everyMs)
  return breaker.state === 'half-open' ? Math.max(due, breaker.trial.leaseUntil) : due
}

/** When the next trial is due by the clock; null where none is: closed, or barred only by what was stated. */
export function trialAt(breaker: Breaker): number | null {
  if (breaker.state === 'closed' || !breaker.guess) return null
  return breaker.state === 'half-open' ? breaker.trial.leaseUntil : breaker.guess.until
}

function onFailure(breaker: Breaker, event: Extract<BreakerEvent, { kind: 'failed' }>): Breaker {
  const { at, cause, ladder, statedMs, firstWaitMs, slots = false } = event
  if (statedMs !== null) return stating(breaker, cause, at, statedMs)
  // Requests that were under way together fail together: only a trial climbs.
  if (breaker.state !== 'closed' && breaker.guess) return breaker
  const stated = breaker.state === 'closed' ? null : breaker.stated
  // What was stated is better known than what we would guess.
  if (stated) return breaker
  const until = at + (firstWaitMs ?? waitAfter(ladder, null, cause, at))
  return openOr({ kind: cause, step: 0, since: at, openedAt: at, until, slots }, null, null)
}

/** The longer statement stands, and takes the place of a guess. */
function stating(breaker: Breaker, kind: FailureKind, at: number, statedMs: number): Breaker {
  const before = breaker.state === 'closed' ? null : breaker.stated
  const until = at + statedMs
  const guess = breaker.state === 'closed' ? null : breaker.guess
  if (before && before.until >= until && !guess) return breaker
  return openOr(null, before && before.until >= until ? before : { kind, until, at }, null)
}

function onTrialFailed(breaker: Breaker, event: Extract<BreakerEvent, { kind: 'trial_failed' }>): Breaker {
  if (breaker.state !== 'half-open' || breaker.trial.at !== event.claimedAt) return breaker
  const { guess, stated, trial } = breaker
  const { at, cause, ladder, statedMs } = event
  if (statedMs !== null) return stating(breaker, cause, at, statedMs)
  if (trial.early) return openOr(guess, stated, trial.at)
  const step = stepAfter(ladder, guess, cause)
  const until = at + waitAfter(ladder, guess, cause, at)
  return openOr({ ...guess, kind: cause, step, openedAt: at, until }, stated, trial.at)
}

function onClaim(breaker: Breaker, event: Extract<BreakerEvent, { kind: 'trial_claimed' }>): Breaker {
  if (breaker.state === 'closed' || !breaker.guess) return breaker
  const { at, leaseMs, early } = event
  const { guess, stated } = breaker
  if (stated && stated.until > at) return breaker
  const due = trialAt(breaker) ?? at
  const isDue = due <= at
  if (!isDue && (!early || earlyTrialAt(breaker, early.everyMs, at) > at)) return breaker
  const trial = { at, leaseUntil: at + leaseMs, early: guess.until > at }
  return { state: 'half-open', guess, stated, trial }
}

/**
 * A breaker after one event. Pure. "Half-open" is also a guess that has ended and that nobody has tried yet.
 *
 * | event                         | closed     | open                   | guess has ended  | trial is out                 |
 * |-------------------------------|------------|------------------------|------------------|------------------------------|
 * | failed, nothing stated        | open       | unchanged              | unchanged        | unchanged                    |
 * | failed, a wait stated         | open       | open, the longer wait  | open             | open                         |
 * | trial claimed                 | closed     | unchanged              | trial is out     | unchanged while leased       |
 * | the same as last resort       | closed     | trial is out, if due   | trial is out     | unchanged while leased       |
 * | succeeded, begun before       | closed     | unchanged              | unchanged        | unchanged                    |
 * | succeeded, trial or begun after | closed   | closed *               | closed *         | closed *                     |
 * | succeeded after its silence   | closed     | closed * if for that   | the same         | the same                     |
 * | its trial failed              | closed     | unchanged              | unchanged        | open, next wait              |
 * | the same as last resort       | closed     | unchanged              | unchanged        | open as before               |
 * | its trial was undecided       | closed     | unchanged              | unchanged        | open as before, due at once  |
 * | a slot was freed, it has climbed | closed  | guess ends at once     | unchanged        | unchanged                    |
 * | the same at the first step    | closed     | closed                 | closed           | closed                       |
 * | lifted                        | closed     | closed *               | closed *         | closed *                     |
 * | forgotten                     | closed     | closed                 | closed           | closed                       |
 *
 * \* A stated wait stands until its end, whatever succeeds meanwhile. Only a failed trial climbs; a trial that reports
 * after another one took its place can only close.
 */
export function breakerAfter(given: Breaker, event: BreakerEvent): Breaker {
  const breaker = 'at' in event ? currentBreaker(given, event.at) : given
  switch (event.kind) {
    case 'failed':
      return onFailure(breaker, event)
    case 'trial_claimed':
      return onClaim(breaker, event)
    case 'trial_failed':
      return onTrialFailed(breaker, event)
    case 'forgotten':
      return CLOSED
  }
  if (breaker.state === 'closed') return breaker
  switch (event.kind) {
    case 'succeeded': {
      const { guess } = breaker
      const began = event.claimedAt !== null || (guess !== null && event.startedAt > guess.openedAt)
      const refutes = event.wasSilent === true && guess?.kind === 'timeout'
      return guess && (began || refutes) ? withoutGuess(breaker) : breaker
    }
    case 'trial_undecided': {
      if (breaker.state !== 'half-open' || breaker.trial.at !== event.claimedAt) return breaker
      const { guess, stated, trial } = breaker
      return openOr(guess, stated, trial.early ? trial.at : null)
    }
    case 'slot_freed': {
      if (!breaker.guess) return breaker
      // Whoever counts simultaneous requests has room again; so may have a limit that was met just now.
      if (breaker.guess.slots || breaker.guess.step <= 0) return withoutGuess(breaker)
      if (breaker.state !== 'open' || breaker.guess.until <= event.at) return breaker
      // The trial that follows must not climb beyond where the limit stands now.
      const guess = { ...breaker.guess, step: breaker.guess.step - 1, until: event.at }
      return { ...breaker, guess }
    }
    case 'lifted':
      return event.stated ? CLOSED : withoutGuess(breaker)
  }
}
