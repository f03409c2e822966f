import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  breakerAfter,
  CLOSED,
  currentBreaker,
  type Breaker,
  type BreakerEvent,
} from '../../../lambdas/core/health/breaker.ts'
import { ENDPOINT_LADDER, providerLadder, type Ladder } from '../../../lambdas/core/health/ladder.ts'

/** The longest that a ladder lets anything be barred. */
const longestWait = (ladder: Ladder): number =>
  ladder.kind === 'steps'
    ? Math.max(0, ...ladder.waitsMs)
    : Math.max(ladder.mostMs, ...ladder.phases.map(({ waitMs }) => waitMs))

const NOW = 1_790_000_000_000
const LADDERS: readonly Ladder[] = [
  providerLadder({ breaker_open_ms: 60_000 }),
  ENDPOINT_LADDER,
  { kind: 'steps', waitsMs: [2_000, 10_000, 60_000, 120_000, 600_000, 3_600_000] },
]
const STATED = [500, 5_000, 60_000, 86_400_000]

/** What may happen, at which distance from what happened before; a trial reports when its turn comes, or never. */
type Happening = { afterMs: number } & (
  | { kind: 'failed'; statedMs: number | null }
  | { kind: 'claim'; early: boolean }
  | { kind: 'report'; outcome: 'succeeded' | 'failed' | 'undecided' }
  | { kind: 'stranger'; outcome: 'succeeded' | 'freed' }
)

const afterMs = fc.oneof(fc.nat(3_000), fc.nat(12_000), fc.nat(120_000), fc.nat(7_200_000))
/** Mostly nothing is stated: what is leaves no room for guesses until its end. */
const statedMs = fc.oneof({ arbitrary: fc.constant(null), weight: 12 }, fc.constantFrom(...STATED))
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constant('failed' as const), afterMs, statedMs }),
  fc.record({ kind: fc.constant('claim' as const), afterMs, early: fc.boolean() }),
  fc.record({
    kind: fc.constant('report' as const),
    afterMs,
    outcome: fc.constantFrom('succeeded' as const, 'failed' as const, 'undecided' as const),
  }),
  fc.record({
    kind: fc.constant('stranger' as const),
    afterMs,
    outcome: fc.constantFrom('succeeded' as const, 'freed' as const),
  }),
)
const history = fc.tuple(fc.constantFrom(...LADDERS), fc.array(happening, { maxLength: 60 }))

type Step = { at: number; before: Breaker; event: BreakerEvent; after: Breaker }

function play([ladder, happenings]: [Ladder, readonly Happening[]]): Step[] {
  const steps: Step[] = []
  let breaker: Breaker = CLOSED
  let at = NOW
  /** Trials that have not reported yet, the oldest first. */
  const out: number[] = []
  const apply = (event: BreakerEvent): void => {
    const before = breaker
    breaker = breakerAfter(breaker, event)
    steps.push({ at, before, event, after: breaker })
  }
  for (const one of happenings) {
    at += one.afterMs
    if (one.kind === 'failed') {
      apply({ kind: 'failed', at, cause: 'rate_limit', ladder, statedMs: one.statedMs })
    } else if (one.kind === 'claim') {
      apply({ kind: 'trial_claimed', at, leaseMs: 10_000, early: one.early ? { everyMs: 2_000 } : null })
      if (breaker.state === 'half-open' && breaker.trial.at === at) out.push(at)
    } else if (one.kind === 'report') {
      const claimedAt = out.shift()
      if (claimedAt === undefined) continue
      if (one.outcome === 'succeeded') apply({ kind: 'succeeded', startedAt: claimedAt, claimedAt })
      else if (one.outcome === 'undecided') apply({ kind: 'trial_undecided', at, claimedAt })
      else apply({ kind: 'trial_failed', at, claimedAt, cause: 'rate_limit', ladder, statedMs: null })
    } else if (one.outcome === 'succeeded') apply({ kind: 'succeeded', startedAt: at, claimedAt: null })
    else apply({ kind: 'slot_freed', at })
  }
  return steps
}

const always = (holds: (steps: readonly Step[], ladder: Ladder) => void) =>
  fc.property(history, given => {
    holds(play(given), given[0])
  })
const RUNS = { numRuns: 400 }

const guessOf = (breaker: Breaker) => (breaker.state === 'closed' ? null : breaker.guess)
const statedOf = (breaker: Breaker) => (breaker.state === 'closed' ? null : breaker.stated)

test('a guess never bars longer than its kind allows', () => {
  fc.assert(
    always((steps, ladder) => {
      for (const { at, after } of steps) {
        const guess = guessOf(after)
        if (guess) expect(guess.until - Math.max(at, guess.openedAt)).toBeLessThanOrEqual(longestWait(ladder))
      }
    }),
    RUNS,
  )
})

test('only a failed trial climbs, and nothing else makes a guess last longer', () => {
  fc.assert(
    always(steps => {
      for (const { before, event, after } of steps) {
        const [was, is] = [guessOf(currentBreaker(before, 'at' in event ? event.at : NOW)), guessOf(after)]
        if (!was || !is || event.kind === 'trial_failed') continue
        expect(is.step).toBeLessThanOrEqual(was.step)
        expect(is.until).toBeLessThanOrEqual(was.until)
      }
    }),
    RUNS,
  )
})

/** What begins any history of a last resort that fails. */
const LAST_RESORT: readonly Happening[] = [
  { kind: 'failed', afterMs: 0, statedMs: null },
  { kind: 'claim', afterMs: 2_500, early: true },
  { kind: 'report', afterMs: 100, outcome: 'failed' },
]

test('a failed last resort does not climb', () => {
  let failed = 0
  fc.assert(
    fc.property(history, ([ladder, happenings]) => {
      for (const { before, event, after } of play([ladder, [...LAST_RESORT, ...happenings]])) {
        if (event.kind !== 'trial_failed' || before.state !== 'half-open' || !before.trial.early) continue
        if (before.trial.at !== event.claimedAt) continue
        failed += 1
        expect(guessOf(after) ?? before.guess).toEqual(before.guess)
      }
    }),
    RUNS,
  )
  // Histories must lead there, or this proves nothing.
  expect(failed).toBeGreaterThan(100)
})

test('at most one trial is out at a time: another one only after the lease', () => {
  fc.assert(
    always(steps => {
      let last: { at: number; leaseUntil: number } | null = null
      for (const { event, after } of steps) {
        if (event.kind === 'trial_claimed' && after.state === 'half-open' && after.trial.at === event.at) {
          if (last && last.at !== event.at) expect(event.at).toBeGreaterThanOrEqual(last.leaseUntil)
          last = after.trial
        } else if (after.state !== 'half-open') last = null
      }
    }),
    RUNS,
  )
})

test('a stated wait is never shortened', () => {
  fc.assert(
    always(steps => {
      for (const { event, before, after } of steps) {
        const was = statedOf(before)
        if (!was || ('at' in event && was.until <= event.at)) continue
        expect(statedOf(after)?.until ?? 0).toBeGreaterThanOrEqual(was.until)
      }
    }),
    RUNS,
  )
})

test('replay is deterministic, and no event changes what it was given', () => {
  fc.assert(
    always(steps => {
      let breaker: Breaker = CLOSED
      for (const { event, after } of steps) {
        const frozen = structuredClone(breaker)
        const next = breakerAfter(breaker, event)
        expect(breaker).toEqual(frozen)
        expect(next).toEqual(after)
        breaker = next
      }
    }),
    RUNS,
  )
})
