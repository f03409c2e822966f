import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  breakerAfter,
  trialAt,
  type Breaker,
  type BreakerEvent,
} from '../../../lambdas/core/health/breaker.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'

const settings = {
  ...DEFAULT_SETTINGS,
  breaker_open_ms: 60,
  breaker_trial_lease_ms: 30,
  breaker_min_requests: 2,
}

/** What happens next, and how long after the last. A trial that is out reports by its turn among those out. */
const actions = fc.record({
  wait: fc.integer({ min: 0, max: 40 }),
  act: fc.constantFrom('failure', 'claim', 'trial_failed', 'trial_undecided', 'trial_succeeded'),
  which: fc.nat(),
  tally: fc.record({ successes: fc.nat(5), failures: fc.nat(5) }),
})
type Action = typeof actions extends fc.Arbitrary<infer Value> ? Value : never
type Claim = { at: number; won: boolean; before: Breaker }
type History = { breaker: Breaker; claims: Claim[]; steps: [BreakerEvent, Breaker, Breaker][] }

/** A fleet that plays the actions by the rules: only who won a trial reports one, in whatever order and however late. */
function play(script: readonly Action[]): History {
  let breaker: Breaker = { state: 'closed' }
  let now = 1_000
  const out: number[] = []
  const claims: Claim[] = []
  const steps: History['steps'] = []
  const apply = (event: BreakerEvent): void => {
    const before = breaker
    breaker = breakerAfter(before, event, settings)
    steps.push([event, before, breaker])
  }
  for (const { wait, act, which, tally } of script) {
    now += wait
    if (act === 'failure') apply({ kind: 'failure', at: now, tally })
    else if (act === 'claim') {
      const before = breaker
      apply({ kind: 'trial_claimed', at: now })
      const won = breaker !== before
      claims.push({ at: now, won, before })
      if (won) out.push(now)
    } else if (out.length > 0) {
      const [claimedAt = 0] = out.splice(which % out.length, 1)
      apply(act === 'trial_succeeded' ? { kind: act } : { kind: act, at: now, claimedAt })
    }
  }
  return { breaker, claims, steps }
}

const histories = fc.array(actions, { maxLength: 60, size: 'max' }).map(play)

it('no trial is won before it is due, nor while another one holds its lease', () => {
  fc.assert(
    fc.property(histories, ({ claims }) => {
      for (const { at, won, before } of claims) {
        const due = trialAt(before, settings)
        expect(won).toBe(due !== null && at >= due)
        if (won && before.state === 'half-open') expect(at).toBeGreaterThanOrEqual(before.leaseUntil)
      }
    }),
  )
})

it('between two trials that were won there is a report of the first, a new opening, or a lease that ran out', () => {
  fc.assert(
    fc.property(histories, ({ steps }) => {
      let lease: { from: number; until: number } | null = null
      for (const [event, before, after] of steps) {
        const reported = 'claimedAt' in event && event.claimedAt === lease?.from
        if (reported || after.state === 'closed') lease = null
        if (event.kind !== 'trial_claimed' || after === before || after.state !== 'half-open') continue
        if (lease) expect(event.at).toBeGreaterThanOrEqual(lease.until)
        lease = { from: event.at, until: after.leaseUntil }
      }
    }),
  )
})

it('of many that claim the same trial exactly one wins', () => {
  fc.assert(
    fc.property(fc.integer({ min: 60, max: 200 }), fc.integer({ min: 1, max: 20 }), (wait, claimants) => {
      let breaker = { state: 'open', openedAt: 1_000 } as Breaker
      let winners = 0
      for (let claimant = 0; claimant < claimants; claimant += 1) {
        const next = breakerAfter(breaker, { kind: 'trial_claimed', at: 1_000 + wait }, settings)
        if (next !== breaker) winners += 1
        breaker = next
      }
      expect(winners).toBe(1)
    }),
  )
})

it('failures of other attempts never restart the timer, nor end a trial', () => {
  fc.assert(
    fc.property(histories, ({ steps }) => {
      for (const [event, before, after] of steps) {
        if (event.kind === 'failure' && before.state !== 'closed') expect(after).toBe(before)
      }
    }),
  )
})

it('a trial that succeeds closes, whatever was before', () => {
  fc.assert(
    fc.property(histories, ({ breaker }) => {
      expect(breakerAfter(breaker, { kind: 'trial_succeeded' }, settings)).toEqual({ state: 'closed' })
    }),
  )
})

it('the same script always ends in the same breaker', () => {
  fc.assert(
    fc.property(fc.array(actions), script => {
      expect(play(script)).toEqual(play(script))
    }),
  )
})
