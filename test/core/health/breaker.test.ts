import { describe, expect, it, test } from 'vitest'
import {
  breakerAfter,
  trialAt,
  type Breaker,
  type BreakerEvent,
  type Tally,
} from '../../../lambdas/core/health/breaker.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'

const OPENED = 1_000_000
const DUE = OPENED + DEFAULT_SETTINGS.breaker_open_ms
const LEASE = DEFAULT_SETTINGS.breaker_trial_lease_ms
const AT = DUE + LEASE

const closed: Breaker = { state: 'closed' }
const open: Breaker = { state: 'open', openedAt: OPENED }
const halfOpen: Breaker = {
  state: 'half-open',
  openedAt: OPENED,
  trialStartedAt: DUE,
  leaseUntil: DUE + LEASE,
}

const after = (breaker: Breaker, event: BreakerEvent): Breaker =>
  breakerAfter(breaker, event, DEFAULT_SETTINGS)
const failure = (tally: Tally, at = AT): BreakerEvent => ({
  kind: 'failure',
  at,
  tally,
})
const reopened: Breaker = { state: 'open', openedAt: AT }

describe('the breaker after an event', () => {
  const renewed: Breaker = { ...halfOpen, trialStartedAt: AT, leaseUntil: AT + LEASE }
  const dueAtOnce: Breaker = { state: 'open', openedAt: AT - DEFAULT_SETTINGS.breaker_open_ms }
  const rows: [string, BreakerEvent, Breaker, Breaker, Breaker][] = [
    ['failure, rate not exceeded', failure({ successes: 5, failures: 5 }), closed, open, halfOpen],
    ['failure, rate exceeded', failure({ successes: 4, failures: 5 }), reopened, open, halfOpen],
    ['trial claimed, due', { kind: 'trial_claimed', at: AT }, closed, renewed, renewed],
    ['trial claimed, not due', { kind: 'trial_claimed', at: DUE - 1 }, closed, open, halfOpen],
    ['trial succeeded', { kind: 'trial_succeeded' }, closed, closed, closed],
    ['trial failed', { kind: 'trial_failed', at: AT }, closed, open, reopened],
    ['trial undecided', { kind: 'trial_undecided', at: AT }, closed, open, dueAtOnce],
  ]
  test.each(rows)('%s', (_, event, whenClosed, whenOpen, whenHalfOpen) => {
    expect(after(closed, event)).toEqual(whenClosed)
    expect(after(open, event)).toEqual(whenOpen)
    expect(after(halfOpen, event)).toEqual(whenHalfOpen)
  })
})

describe('a closed breaker opens', () => {
  const rows: [string, Tally, Breaker['state']][] = [
    ['at five failures of five', { successes: 0, failures: 5 }, 'open'],
    ['just over half', { successes: 2, failures: 3 }, 'open'],
    ['not at half', { successes: 3, failures: 3 }, 'closed'],
    ['not with too few samples', { successes: 0, failures: 4 }, 'closed'],
    ['not with nothing counted', { successes: 0, failures: 0 }, 'closed'],
  ]
  test.each(rows)('%s', (_, tally, expected) => {
    expect(after(closed, failure(tally)).state).toBe(expected)
  })
})

describe('the trial', () => {
  it('is due a minute after the opening, and again when its lease has run out', () => {
    expect(trialAt(closed, DEFAULT_SETTINGS)).toBeNull()
    expect(trialAt(open, DEFAULT_SETTINGS)).toBe(DUE)
    expect(trialAt(halfOpen, DEFAULT_SETTINGS)).toBe(DUE + LEASE)
  })

  it('may be claimed in the very millisecond in which it is due', () => {
    expect(after(open, { kind: 'trial_claimed', at: DUE })).toEqual(halfOpen)
    expect(after(halfOpen, { kind: 'trial_claimed', at: DUE + LEASE - 1 })).toEqual(halfOpen)
  })

  it('that says nothing lets the next one be claimed at once', () => {
    const undecided = after(halfOpen, { kind: 'trial_undecided', at: DUE + 1 })
    expect(after(undecided, { kind: 'trial_claimed', at: DUE + 1 }).state).toBe('half-open')
  })

  it.each(['trial_failed', 'trial_undecided'] as const)(
    'that took the place of a late one is not ended by its %s',
    kind => {
      const second = after(halfOpen, { kind: 'trial_claimed', at: AT })
      expect(after(second, { kind, at: AT + 1, claimedAt: DUE })).toEqual(second)
      expect(after(second, { kind, at: AT + 1, claimedAt: AT }).state).toBe('open')
    },
  )
})
