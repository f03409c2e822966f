import { describe, expect, it, test } from 'vitest'
import {
  countOf,
  healthAfter,
  onDemandAt,
  type Health,
  type HealthEvent,
  type ProbePlan,
} from '../../../lambdas/core/health/health.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'

const AT = 1_000_000
const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
/** Neither early nor late. */
const MIDDLE = 0.5

const cause = 'model_not_found'
const probe: ProbePlan = {
  dueAt: 7,
  failures: 2,
  sent: { day: 0, count: 0 },
  onDemand: { day: 0, count: 0, at: 0 },
}
const healthy: Health = { state: 'healthy' }
const suspect: Health = { state: 'suspect', since: 5, probe, cause: 'dns' }
const quarantined: Health = { state: 'quarantined', since: 5, probe, cause: 'dns' }

const after = (health: Health, event: HealthEvent, random = MIDDLE): Health =>
  healthAfter(health, event, DEFAULT_SETTINGS, random)
const evidence = (weight: number, via: 'request' | 'probe' = 'request', gone = false): HealthEvent => ({
  kind: 'evidence',
  via,
  weight,
  gone,
  cause,
  at: AT,
})

describe('the state after an event', () => {
  const rows: [string, HealthEvent, Health['state'], Health['state'], Health['state']][] = [
    ['evidence below suspect', evidence(1), 'healthy', 'suspect', 'quarantined'],
    ['evidence from suspect on', evidence(2), 'suspect', 'suspect', 'quarantined'],
    ['evidence just below quarantine', evidence(3), 'suspect', 'suspect', 'quarantined'],
    ['evidence from quarantine on', evidence(4), 'quarantined', 'quarantined', 'quarantined'],
    ['evidence far past quarantine', evidence(40), 'quarantined', 'quarantined', 'quarantined'],
    ['evidence of a probe', evidence(4, 'probe'), 'quarantined', 'quarantined', 'quarantined'],
    ['a request succeeded', { kind: 'success', via: 'request' }, 'healthy', 'healthy', 'quarantined'],
    ['a probe succeeded', { kind: 'success', via: 'probe' }, 'healthy', 'healthy', 'healthy'],
    [
      'a probe proved nothing',
      { kind: 'probe_undecided', at: AT, waitMs: null },
      'healthy',
      'suspect',
      'quarantined',
    ],
    ['the window has emptied', { kind: 'window_emptied' }, 'healthy', 'healthy', 'quarantined'],
    [
      'operator: quarantine',
      { kind: 'quarantine', cause, byHand: '', at: AT },
      'quarantined',
      'quarantined',
      'quarantined',
    ],
    ['operator: release', { kind: 'release' }, 'healthy', 'healthy', 'healthy'],
  ]
  test.each(rows)('%s', (_, event, whenHealthy, whenSuspect, whenQuarantined) => {
    expect(after(healthy, event).state).toBe(whenHealthy)
    expect(after(suspect, event).state).toBe(whenSuspect)
    expect(after(quarantined, event).state).toBe(whenQuarantined)
  })
})

it('a quarantine by hand ends only where an operator wants it', () => {
  const ordered = after(quarantined, { kind: 'quarantine', cause, byHand: 'odd answers', at: AT })
  expect(ordered).toEqual({ ...quarantined, byHand: 'odd answers' })
  for (const via of ['request', 'probe'] as const)
    expect(after(ordered, { kind: 'success', via })).toEqual(ordered)
  expect(after(ordered, evidence(4, 'probe'))).toMatchObject({ byHand: 'odd answers' })
  expect(onDemandAt({ ...quarantined, byHand: '' }, 200, AT)).toBeNull()
  expect(after(ordered, { kind: 'success', via: 'operator' })).toEqual(healthy)
  expect(after(ordered, { kind: 'release' })).toEqual(healthy)
})

describe('a transition', () => {
  it('remembers since when and why', () => {
    expect(after(healthy, evidence(2))).toMatchObject({ since: AT, cause })
    expect(after(suspect, evidence(4))).toMatchObject({ since: AT, cause })
  })

  it('is none where a suspect stays one: since when is kept, the cause is the last one', () => {
    expect(after(suspect, evidence(2))).toMatchObject({ since: 5, cause })
  })

  it('is none where the quarantined gets more evidence from requests', () => {
    expect(after(quarantined, evidence(9))).toBe(quarantined)
  })
})

describe('the next probe', () => {
  it.each([
    [0, 36 * SECOND],
    [MIDDLE, 45 * SECOND],
    [1, 54 * SECOND],
  ])('comes about 45 s after the endpoint fell (random %d)', (random, wait) => {
    expect(after(healthy, evidence(2), random)).toMatchObject({ probe: { dueAt: AT + wait, failures: 0 } })
    const byHand = after(healthy, { kind: 'quarantine', cause, byHand: '', at: AT }, random)
    expect(byHand).toMatchObject({ probe: { dueAt: AT + wait, failures: 0 } })
  })

  it.each([
    [0, MINUTE],
    [10, MINUTE],
    [19, MINUTE],
    [20, 2 * MINUTE],
    [21, 4 * MINUTE],
    [24, 32 * MINUTE],
    [25, 60 * MINUTE],
    [5_000, 60 * MINUTE],
  ])('stays for twenty minutes as it is, then backs off (%d failed probes)', (failures, wait) => {
    const waiting: Health = { ...quarantined, probe: { ...probe, dueAt: AT, failures } }
    const next = { probe: { dueAt: AT + wait, failures: failures + 1 } }
    expect(after(waiting, evidence(4, 'probe'))).toMatchObject(next)
    expect(after({ ...suspect, probe: waiting.probe }, evidence(2, 'probe'))).toMatchObject(next)
  })

  it('comes after a quarter of an hour where the model is gone for good, and then more seldom', () => {
    const gone = after(healthy, evidence(2, 'request', true))
    expect(gone).toMatchObject({ probe: { dueAt: AT + 15 * MINUTE } })
    expect(after(gone, evidence(4, 'probe', true))).toMatchObject({ probe: { dueAt: AT + 32 * MINUTE } })
  })

  it('waits for the next day where the probes of this one are spent', () => {
    const day = Math.floor(AT / DAY)
    const spent: Health = { ...quarantined, probe: { ...probe, sent: { day, count: 60 } } }
    const tomorrow = { probe: { dueAt: (day + 1) * DAY } }
    expect(after(spent, evidence(4, 'probe'))).toMatchObject(tomorrow)
    expect(after(spent, { kind: 'probe_undecided', at: AT, waitMs: null })).toMatchObject(tomorrow)
    const left: Health = { ...quarantined, probe: { ...probe, sent: { day: day - 1, count: 60 } } }
    expect(after(left, evidence(4, 'probe'))).toMatchObject({ probe: { dueAt: AT + MINUTE } })
  })

  it('is not moved by what requests say, not even by a fall', () => {
    expect(after(suspect, evidence(2))).toMatchObject({ probe })
    expect(after(suspect, evidence(4))).toMatchObject({ probe })
  })

  it('waits as long as was stated, without doubling', () => {
    const event = { kind: 'probe_undecided', at: AT, waitMs: 1_234 } as const
    expect(after(quarantined, event)).toMatchObject({ probe: { dueAt: AT + 1_234, failures: 2 } })
  })

  it('waits one interval where nothing was stated', () => {
    const event = { kind: 'probe_undecided', at: AT, waitMs: null } as const
    expect(after(suspect, event)).toMatchObject({ probe: { dueAt: AT + MINUTE, failures: 2 } })
  })
})

describe('a probe on demand', () => {
  const at = (seconds: number): ProbePlan => ({
    ...probe,
    onDemand: { day: 0, count: 1, at: seconds * SECOND },
  })
  const fallen = (plan: ProbePlan) => ({ state: 'quarantined', since: 0, probe: plan, cause }) as const

  it('is due five seconds after the last one, and more seldom after a quarter of an hour', () => {
    expect(onDemandAt(fallen(at(60)), 200, 61 * SECOND)).toBe(65 * SECOND)
    expect(onDemandAt(fallen(at(1_000)), 200, 1_001 * SECOND)).toBe(1_030 * SECOND)
  })

  it('is due no more on a day whose number is spent, and again on the next', () => {
    const spent = { ...probe, onDemand: { day: 0, count: 200, at: 0 } }
    expect(onDemandAt(fallen(spent), 200, 10 * MINUTE)).toBeNull()
    expect(onDemandAt(fallen(spent), 200, DAY + MINUTE)).not.toBeNull()
  })

  it('counts by days', () => {
    expect(countOf({ day: 0, count: 3 }, MINUTE)).toEqual({ day: 0, count: 4 })
    expect(countOf({ day: 0, count: 3 }, DAY)).toEqual({ day: 1, count: 1 })
  })
})
