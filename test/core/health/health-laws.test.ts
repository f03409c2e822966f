import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { blameOf } from '../../../lambdas/core/failures/blame.ts'
import { FAILURE_KINDS } from '../../../lambdas/core/failures/kinds.ts'
import { healthAfter, type Health, type HealthEvent } from '../../../lambdas/core/health/health.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import { failureOf } from '../build.ts'

const FIRST_PROBE_MS = 45_000
const GONE_PROBE_MS = 15 * 60_000
const LONGEST_PROBE_MS = 60 * 60_000
/** In twenty minutes, at the default interval. */
const STEADY_PROBES = 20
const JITTER = 0.2

const instants = fc.integer({ min: 0, max: 10_000_000_000_000 })
const causes = fc.constantFrom(...FAILURE_KINDS)
const ways = fc.constantFrom('request' as const, 'probe' as const)
const byRequests: fc.Arbitrary<HealthEvent> = fc.oneof(
  fc.record({
    kind: fc.constant('evidence' as const),
    via: ways,
    weight: fc.integer({ min: 0, max: 9 }),
    gone: fc.boolean(),
    cause: causes,
    at: instants,
  }),
  fc.record({ kind: fc.constant('success' as const), via: fc.constant('request' as const) }),
  fc.record({
    kind: fc.constant('probe_undecided' as const),
    at: instants,
    waitMs: fc.option(fc.integer({ min: 0, max: 86_400_000 })),
  }),
  fc.record({ kind: fc.constant('window_emptied' as const) }),
  fc.record({ kind: fc.constant('quarantine' as const), cause: causes, byHand: fc.string(), at: instants }),
)
const readmissions: fc.Arbitrary<HealthEvent> = fc.constantFrom(
  { kind: 'success', via: 'operator' },
  { kind: 'release' },
)
const probed = fc.constant<HealthEvent>({ kind: 'success', via: 'probe' })
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
type Occurrence = readonly [HealthEvent, number]
const histories = (events: fc.Arbitrary<HealthEvent>): fc.Arbitrary<Occurrence[]> =>
  fc.array(fc.tuple(events, randoms), { maxLength: 30 })
const anyHistory = histories(fc.oneof({ arbitrary: byRequests, weight: 9 }, readmissions, probed))

const replay = (history: readonly Occurrence[], from: Health = { state: 'healthy' }): Health =>
  history.reduce<Health>(
    (health, [event, random]) => healthAfter(health, event, DEFAULT_SETTINGS, random),
    from,
  )
const quarantine = fc
  .tuple(anyHistory, causes, instants, randoms)
  .map(([history, cause, at, random]) =>
    replay([...history, [{ kind: 'quarantine', cause, byHand: '', at }, random]]),
  )

it('no order of events readmits what was quarantined by hand without an operator', () => {
  fc.assert(
    fc.property(quarantine, histories(fc.oneof(byRequests, probed)), (health, history) => {
      expect(replay(history, health).state).toBe('quarantined')
    }),
  )
})

it('a probe that an operator wanted and that succeeds, and a release, always readmit', () => {
  fc.assert(
    fc.property(anyHistory, readmissions, randoms, (history, event, random) => {
      expect(replay([...history, [event, random]])).toEqual({ state: 'healthy' })
    }),
  )
})

it('the same events always end in the same health, and change nothing that was given', () => {
  fc.assert(
    fc.property(anyHistory, history => {
      const before = structuredClone(history)
      expect(replay(history)).toEqual(replay(before))
      expect(history).toEqual(before)
    }),
  )
})

it('a probe is due within the bounds of the backoff', () => {
  fc.assert(
    fc.property(anyHistory, byRequests, randoms, (history, event, random) => {
      const before = replay(history)
      const health = healthAfter(before, event, DEFAULT_SETTINGS, random)
      if (health.state === 'healthy') return
      const interval = DEFAULT_SETTINGS.endpoint_probe_interval_ms
      const isNear = (wait: number, expected: number): void => {
        expect(wait).toBeGreaterThanOrEqual(expected * (1 - JITTER) - 1)
        expect(wait).toBeLessThanOrEqual(expected * (1 + JITTER) + 1)
      }
      if (before.state === 'healthy' && 'cause' in event) {
        const gone = event.kind === 'evidence' && event.gone
        isNear(health.probe.dueAt - event.at, gone ? GONE_PROBE_MS : FIRST_PROBE_MS)
      } else if (before.state !== 'healthy' && event.kind === 'evidence' && event.via === 'probe') {
        const doublings = Math.max(0, before.probe.failures + 1 - STEADY_PROBES)
        isNear(health.probe.dueAt - event.at, Math.min(interval * 2 ** doublings, LONGEST_PROBE_MS))
      } else if (event.kind !== 'probe_undecided' && before.state !== 'healthy') {
        const moved = event.kind === 'quarantine' && before.state === 'suspect'
        if (!moved) expect(health.probe).toEqual(before.probe)
      }
    }),
  )
})

it('no limit, however often it is met, moves health', () => {
  const limits = fc.record({
    kind: fc.constantFrom('rate_limit' as const, 'quota_exhausted' as const, 'permission' as const),
    scope: fc.constantFrom('key' as const, 'model' as const, 'endpoint' as const, 'provider' as const),
    status: fc.constantFrom(400, 402, 403, 410, 429),
    message: fc.constantFrom('Slow down.', 'This model was decommissioned.'),
    structural: fc.boolean(),
  })
  fc.assert(
    fc.property(limits, limit => {
      expect(blameOf(failureOf(limit)).evidence).toBe(0)
    }),
  )
})
