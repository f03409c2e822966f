import { describe, expect, it, test } from 'vitest'
import {
  healthAfter,
  type Health,
  type HealthEvent,
  type LastFailure,
} from '../../../lambdas/core/health/health.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'

const AT = 1_000_000
const SECOND = 1_000
const MINUTE = 60 * SECOND
/** Neither early nor late. */
const MIDDLE = 0.5

const failure: LastFailure = { kind: 'model_not_found', status: 404, message: 'gone', at: AT }
const earlier: LastFailure = { kind: 'dns', status: null, message: 'no such host', at: 5 }
const probe = { dueAt: 7, failures: 2 }
const healthy: Health = { state: 'healthy' }
const suspect: Health = { state: 'suspect', since: 5, probe, failure: earlier }
const quarantined: Health = { state: 'quarantined', since: 5, probe, failure: earlier }

const after = (health: Health, event: HealthEvent, random = MIDDLE): Health =>
  healthAfter(health, event, DEFAULT_SETTINGS, random)
const evidence = (weight: number, via: 'request' | 'probe' = 'request'): HealthEvent => ({
  kind: 'evidence',
  via,
  weight,
  failure,
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
    ['operator: quarantine', { kind: 'quarantine', failure }, 'quarantined', 'quarantined', 'quarantined'],
    ['operator: release', { kind: 'release' }, 'healthy', 'healthy', 'healthy'],
  ]
  test.each(rows)('%s', (_, event, whenHealthy, whenSuspect, whenQuarantined) => {
    expect(after(healthy, event).state).toBe(whenHealthy)
    expect(after(suspect, event).state).toBe(whenSuspect)
    expect(after(quarantined, event).state).toBe(whenQuarantined)
  })
})

describe('a transition', () => {
  it('remembers since when and why', () => {
    expect(after(healthy, evidence(2))).toMatchObject({ since: AT, failure })
    expect(after(suspect, evidence(4))).toMatchObject({ since: AT, failure })
  })

  it('is none where a suspect stays one: since when is kept, the failure is the last one', () => {
    expect(after(suspect, evidence(2))).toMatchObject({ since: 5, failure })
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
    const byHand = after(healthy, { kind: 'quarantine', failure }, random)
    expect(byHand).toMatchObject({ probe: { dueAt: AT + wait, failures: 0 } })
  })

  it.each([
    [0, MINUTE],
    [1, 2 * MINUTE],
    [2, 4 * MINUTE],
    [3, 8 * MINUTE],
    [4, 15 * MINUTE],
    [5_000, 15 * MINUTE],
  ])('backs off after %d failed probes', (failures, wait) => {
    const waiting: Health = { ...quarantined, probe: { dueAt: AT, failures } }
    const next = { probe: { dueAt: AT + wait, failures: failures + 1 } }
    expect(after(waiting, evidence(4, 'probe'))).toMatchObject(next)
    expect(after({ ...suspect, probe: waiting.probe }, evidence(2, 'probe'))).toMatchObject(next)
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
