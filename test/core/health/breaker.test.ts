import { describe, expect, it, test } from 'vitest'
import {
  boundedBreaker,
  breakerAfter,
  CLOSED,
  currentBreaker,
  earlyTrialAt,
  trialAt,
  type Breaker,
  type BreakerEvent,
  type Guess,
} from '../../../lambdas/core/health/breaker.ts'
import { ENDPOINT_LADDER, providerLadder, type Ladder } from '../../../lambdas/core/health/ladder.ts'

const NOW = 1_790_000_000_000
const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
const STEPS = { kind: 'steps', waitsMs: [2 * SECOND, 10 * SECOND, MINUTE] } as const satisfies Ladder

const failed = (at: number, statedMs: number | null = null, ladder: Ladder = STEPS): BreakerEvent => ({
  kind: 'failed',
  at,
  cause: 'rate_limit',
  ladder,
  statedMs,
})
const claimed = (at: number, everyMs: number | null = null): BreakerEvent => ({
  kind: 'trial_claimed',
  at,
  leaseMs: 10 * SECOND,
  early: everyMs === null ? null : { everyMs },
})
const trialFailed = (
  at: number,
  claimedAt: number,
  ladder: Ladder = STEPS,
  statedMs: number | null = null,
): BreakerEvent => ({
  kind: 'trial_failed',
  at,
  claimedAt,
  cause: 'rate_limit',
  ladder,
  statedMs,
})
const after = (...events: readonly BreakerEvent[]): Breaker => events.reduce(breakerAfter, CLOSED)
const untilOf = (breaker: Breaker): number | null =>
  breaker.state === 'closed' ? null : (breaker.guess?.until ?? null)

const GUESS: Guess = {
  kind: 'rate_limit',
  step: 0,
  since: NOW,
  openedAt: NOW,
  until: NOW + 2_000,
  slots: false,
}
const OPEN: Breaker = { state: 'open', guess: GUESS, stated: null, triedAt: null }
const OVER = NOW + 2 * SECOND
const TRIAL: Breaker = breakerAfter(OPEN, claimed(OVER))
const STATED: Breaker = after(failed(NOW, 30 * SECOND))

describe('the table of transitions', () => {
  const rows: [string, Breaker, BreakerEvent, Breaker['state'] | 'unchanged'][] = [
    ['a failure opens a closed one', CLOSED, failed(NOW), 'open'],
    ['a failure while it is open', OPEN, failed(NOW + 1), 'unchanged'],
    ['a failure after its guess has ended', OPEN, failed(OVER + 1), 'unchanged'],
    ['a failure while its trial is out', TRIAL, failed(OVER + 1), 'unchanged'],
    ['a claim on a closed one', CLOSED, claimed(NOW), 'unchanged'],
    ['a claim before its time', OPEN, claimed(OVER - 1), 'unchanged'],
    ['a claim at its time', OPEN, claimed(OVER), 'half-open'],
    ['a claim while the lease runs', TRIAL, claimed(OVER + 9_999), 'unchanged'],
    ['a claim after the lease', TRIAL, claimed(OVER + 10_000), 'half-open'],
    ['a claim of the last resort too soon', OPEN, claimed(NOW + 999, 1_000), 'unchanged'],
    ['a claim of the last resort', OPEN, claimed(NOW + 1_000, 1_000), 'half-open'],
    ['a claim on what was stated', STATED, claimed(NOW + 5_000, 1_000), 'unchanged'],
    [
      'a success that began before',
      OPEN,
      { kind: 'succeeded', startedAt: NOW - 1, claimedAt: null },
      'unchanged',
    ],
    [
      'a success that began after',
      OPEN,
      { kind: 'succeeded', startedAt: NOW + 1, claimedAt: null },
      'closed',
    ],
    ['the success of its trial', TRIAL, { kind: 'succeeded', startedAt: OVER, claimedAt: OVER }, 'closed'],
    [
      'a success while a stated wait runs',
      STATED,
      { kind: 'succeeded', startedAt: NOW + 1, claimedAt: NOW + 1 },
      'unchanged',
    ],
    ['its trial failed', TRIAL, trialFailed(OVER + 5, OVER), 'open'],
    ['another trial failed', TRIAL, trialFailed(OVER + 5, OVER - 1), 'unchanged'],
    ['its trial was undecided', TRIAL, { kind: 'trial_undecided', at: OVER + 5, claimedAt: OVER }, 'open'],
    ['a slot is freed', OPEN, { kind: 'slot_freed', at: NOW + 500 }, 'closed'],
    ['a guess is lifted', OPEN, { kind: 'lifted', stated: false }, 'closed'],
    ['a statement is not', STATED, { kind: 'lifted', stated: false }, 'unchanged'],
    ['an operator lifts both', STATED, { kind: 'lifted', stated: true }, 'closed'],
    ['its provider has closed', TRIAL, { kind: 'forgotten' }, 'closed'],
  ]
  test.each(rows)('%s', (_, before, event, state) => {
    const breaker = breakerAfter(before, event)
    if (state === 'unchanged') expect(breaker).toEqual(before)
    else expect(breaker.state).toBe(state)
  })
})

describe('a guess', () => {
  it('climbs only by trials that fail, and begins anew after a success', () => {
    const second = after(failed(NOW), claimed(OVER), trialFailed(OVER, OVER))
    expect(untilOf(second)).toBe(OVER + 10 * SECOND)
    const third = [claimed(OVER + 10 * SECOND), trialFailed(OVER + 11 * SECOND, OVER + 10 * SECOND)]
    expect(untilOf(third.reduce(breakerAfter, second))).toBe(OVER + 71 * SECOND)
    const closed = breakerAfter(TRIAL, { kind: 'succeeded', startedAt: OVER, claimedAt: OVER })
    expect(untilOf(breakerAfter(closed, failed(NOW + MINUTE)))).toBe(NOW + MINUTE + 2 * SECOND)
  })

  it('stays as it is when its last resort fails', () => {
    const early = after(failed(NOW), claimed(NOW + 1_500, 1_000), trialFailed(NOW + 1_600, NOW + 1_500))
    expect(untilOf(early)).toBe(OVER)
    expect(earlyTrialAt(early, 1_000, NOW + 1_600)).toBe(NOW + 2_500)
  })

  it('is due at once when its trial was undecided, for the next call', () => {
    const undecided = breakerAfter(TRIAL, { kind: 'trial_undecided', at: OVER + 100, claimedAt: OVER })
    expect(trialAt(undecided)).toBeLessThanOrEqual(OVER + 100)
  })

  it('that has climbed ends when one of the requests does that it counts, and does not climb for it', () => {
    const climbed = after(failed(NOW), claimed(OVER), trialFailed(OVER, OVER))
    const freed = breakerAfter(climbed, { kind: 'slot_freed', at: OVER + 100 })
    expect(trialAt(freed)).toBe(OVER + 100)
    const again = [claimed(OVER + 100), trialFailed(OVER + 150, OVER + 100)].reduce(breakerAfter, freed)
    expect(untilOf(again)).toBe(OVER + 150 + 10 * SECOND)
  })

  it('is forgotten a day after its end', () => {
    expect(currentBreaker(OPEN, OVER + DAY - 1)).toBe(OPEN)
    expect(currentBreaker(OPEN, OVER + DAY)).toEqual(CLOSED)
  })

  it('lets a last resort through less often after a quarter of an hour', () => {
    const old: Breaker = {
      ...OPEN,
      guess: { ...GUESS, openedAt: NOW + 20 * MINUTE, until: NOW + 25 * MINUTE },
    }
    expect(earlyTrialAt(old, 2_000, NOW + 21 * MINUTE)).toBe(NOW + 20 * MINUTE + 30 * SECOND)
    expect(earlyTrialAt(OPEN, 2_000, NOW + MINUTE)).toBe(NOW + 2 * SECOND)
  })
})

describe('a stated wait', () => {
  it('is exact, and no later, shorter one shortens it', () => {
    const stated = after(failed(NOW, 30 * SECOND), failed(NOW + 1, 5 * SECOND))
    expect(stated).toMatchObject({ state: 'open', stated: { until: NOW + 30 * SECOND } })
    expect(currentBreaker(stated, NOW + 30 * SECOND)).toEqual(CLOSED)
  })

  it('takes the place of a guess', () => {
    const stated = after(failed(NOW), failed(NOW + 1, 500))
    expect(stated).toMatchObject({ guess: null, stated: { until: NOW + 501 } })
  })
})

describe('ladders of time', () => {
  /** Waits when every trial is made when it is due, and fails at once. */
  function waitsOf(ladder: Ladder, count: number): number[] {
    let breaker = after(failed(NOW, null, ladder))
    const waits: number[] = []
    for (let at = NOW; waits.length < count;) {
      const due = trialAt(breaker) ?? 0
      waits.push((due - at) / SECOND)
      at = due
      breaker = [claimed(at), trialFailed(at, at, ladder)].reduce(breakerAfter, breaker)
    }
    return waits
  }

  it('open a provider for a minute for twenty, then for longer, at most a quarter of an hour', () => {
    const waits = waitsOf(providerLadder({ breaker_open_ms: MINUTE }), 25)
    expect(waits.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 60))
    expect(waits.slice(20)).toEqual([120, 240, 480, 900, 900])
  })

  it('bench an endpoint for a quarter of a minute for five, then for a minute, then for longer', () => {
    const waits = waitsOf(ENDPOINT_LADDER, 40)
    expect(waits.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 15))
    expect(waits.slice(20, 35)).toEqual(Array.from({ length: 15 }, () => 60))
    expect(waits.slice(35)).toEqual([120, 240, 480, 600, 600])
  })
})

it('an item is believed within bounds, whatever its clock says', () => {
  const longest = { guessMs: MINUTE, statedMs: MINUTE, leaseMs: SECOND }
  const mad: Breaker = {
    state: 'half-open',
    guess: { ...GUESS, since: NOW + DAY, openedAt: NOW + DAY, until: NOW + 2 * DAY },
    stated: { kind: 'rate_limit', at: NOW + DAY, until: NOW + 9 * DAY },
    trial: { at: NOW + DAY, leaseUntil: NOW + DAY, early: false },
  }
  const bounded = boundedBreaker(mad, longest, NOW)
  expect(bounded).toMatchObject({
    guess: { since: NOW, openedAt: NOW, until: NOW + MINUTE },
    stated: { until: NOW + MINUTE },
    trial: { leaseUntil: NOW + SECOND },
  })
})
