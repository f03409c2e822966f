import type { FailureKind } from '../failures/kinds.ts'
import type { Settings } from '../settings/settings.ts'
import type { Guess } from './breaker.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long a breaker stays open, opening after opening; durations in milliseconds. */
export type Ladder =
  /** One wait a step; the last one is repeated. */
  | { kind: 'steps'; waitsMs: readonly number[] }
  /** One wait for as long as the trouble is younger than that, then twice the last one, to a limit. */
  | { kind: 'phases'; phases: readonly { underMs: number; waitMs: number }[]; mostMs: number }

/** What is all that a provider's breaker knows of time: a minute for twenty, then doubling to a quarter of an hour. */
export const providerLadder = ({ breaker_open_ms }: Pick<Settings, 'breaker_open_ms'>): Ladder => ({
  kind: 'phases',
  phases: [{ underMs: 20 * MINUTE, waitMs: breaker_open_ms }],
  mostMs: Math.max(15 * MINUTE, breaker_open_ms),
})

/** The bench of one endpoint: short at first, because most of what fails so is back within a minute. */
export const ENDPOINT_LADDER: Ladder = {
  kind: 'phases',
  phases: [
    { underMs: 5 * MINUTE, waitMs: 15_000 },
    { underMs: 20 * MINUTE, waitMs: MINUTE },
  ],
  mostMs: 10 * MINUTE,
}

/** The wait that follows `guess`, or the first one. */
export function waitAfter(ladder: Ladder, guess: Guess | null, kind: FailureKind, at: number): number {
  if (ladder.kind === 'steps') return ladder.waitsMs[stepAfter(ladder, guess, kind)] ?? 0
  const age = guess ? at - guess.since : 0
  const phase = ladder.phases.find(({ underMs }) => age < underMs)
  if (phase) return phase.waitMs
  const last = ladder.phases.at(-1)?.waitMs ?? 0
  return Math.min(ladder.mostMs, 2 * Math.max(last, guess ? guess.until - guess.openedAt : 0))
}

/** Another kind of failure begins its own ladder. */
export function stepAfter(ladder: Ladder, guess: Guess | null, kind: FailureKind): number {
  if (!guess || guess.kind !== kind) return 0
  return ladder.kind === 'steps' ? Math.min(guess.step + 1, ladder.waitsMs.length - 1) : guess.step + 1
}

/** Nothing guessed bars for longer without a trial, whatever an item of the table says. */
export const LONGEST_GUESS_MS = DAY
