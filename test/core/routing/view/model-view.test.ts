import { describe, expect, it, test } from 'vitest'
import {
  benchScope,
  endpointLimits,
  providerScope,
  type BreakerScope,
} from '../../../../lambdas/core/health/breaker-scope.ts'
import type { Endpoint } from '../../../../lambdas/core/endpoint.ts'
import { likelyPlan } from '../../../../lambdas/core/routing/plan.ts'
import { nextWords } from '../../../../lambdas/core/routing/view/hop-words.ts'
import { modelView, nextOf, type HopView } from '../../../../lambdas/core/routing/view/model-view.ts'
import type { BreakerMark, HealthMark, Snapshot } from '../../../../lambdas/core/routing/snapshot.ts'
import { DEFAULT_SETTINGS } from '../../../../lambdas/core/settings/settings.ts'
import { chainOf, endpointNamed, guessed, snapshotOf, statedWait } from '../../build.ts'

const NOW = 1_000_000
const SOON = NOW + 18_000
const LATER = NOW + 41_000

const one = endpointNamed('a/one')
const [, modelLimit = providerScope('a')] = endpointLimits(one)
const marks = (...found: readonly [BreakerScope, BreakerMark][]) => ({ breakers: new Map(found) })
const quarantined = (at = SOON): HealthMark => ({
  state: 'quarantined',
  since: NOW - 1,
  cause: 'model_not_found',
  nextProbeAt: at,
  nextOnDemandAt: null,
})
const viewOf = (tiers: Parameters<typeof chainOf>[0], known: Partial<Snapshot> = {}) =>
  modelView(chainOf(tiers), snapshotOf(known), NOW)

test('a model answers from the first endpoint that a request would be sent to', () => {
  const view = viewOf([['a/one'], ['b/two', 'b/three']], marks([providerScope('a'), guessed(LATER)]))
  expect(view).toMatchObject({ answers: true, answered_by: 'b/two', tier: 2, tiers: 2, next: null })
  expect(view.chain.map(({ endpoint, tier, place, called }) => [endpoint, tier, place, called])).toEqual([
    ['a/one', 1, null, false],
    ['b/two', 2, 1, true],
    ['b/three', 2, 2, true],
  ])
})

describe('an endpoint', () => {
  const rows: [string, Partial<Endpoint>, Partial<Snapshot>, Partial<HopView>, string | null][] = [
    ['that nothing is known of is ready', {}, {}, { called: true, words: 'ready', reason: null }, null],
    [
      'behind an open breaker would not be called',
      {},
      marks([providerScope('a'), guessed(LATER)]),
      {
        called: false,
        reason: 'breaker_open',
        cause: 'server_error',
        until: LATER,
        words: 'provider paused after server errors',
      },
      'next test in 41 s',
    ],
    [
      'that cools down says after what',
      {},
      marks([modelLimit, statedWait(SOON)]),
      { called: false, reason: 'cooldown', until: SOON, words: 'cooling down after a rate limit' },
      'back in 18 s',
    ],
    [
      'in quarantine comes back with a probe, and by no clock',
      {},
      { health: new Map([['a/one', quarantined()]]) },
      {
        called: false,
        reason: 'quarantined',
        health: 'quarantined',
        until: null,
        next_probe_at: SOON,
        words: 'quarantined after a missing model',
      },
      'next probe in 18 s',
    ],
    [
      'that was quarantined by hand gives the reason, and waits for no probe',
      {},
      { health: new Map([['a/one', { ...quarantined(), byHand: 'odd answers' }]]) },
      { cause: null, next_probe_at: null, words: 'quarantined by hand (odd answers)' },
      null,
    ],
    [
      'that is never probed has no next probe',
      { probe: false },
      { health: new Map([['a/one', quarantined()]]) },
      { reason: 'quarantined', next_probe_at: null },
      null,
    ],
    [
      'is not probed where probes are switched off',
      {},
      {
        health: new Map([['a/one', quarantined()]]),
        settings: { ...DEFAULT_SETTINGS, endpoint_probes_disabled: true },
      },
      { reason: 'quarantined', next_probe_at: null },
      null,
    ],
    [
      'without a key names the variable',
      { needsKey: true },
      {},
      { called: false, reason: 'no_key', key_variable: 'A_API_KEY', words: 'no key' },
      null,
    ],
    [
      'that is suspect says what failed',
      {},
      { health: new Map([['a/one', { state: 'suspect', cause: 'model_not_found' }]]) },
      { called: true, health: 'suspect', words: 'its last call failed (missing model)' },
      null,
    ],
    [
      'whose cooldown has ended is called once, as a test',
      {},
      marks([modelLimit, guessed(NOW - 1, { kind: 'rate_limit' })]),
      { called: true, test: true, words: 'its next call is a test after a rate limit' },
      null,
    ],
    [
      'whose window is tiny cannot serve',
      { contextWindow: 10 },
      {},
      { called: false, reason: 'context_too_small' },
      null,
    ],
  ]

  test.each(rows)('%s', (_title, declared, known, expected, next) => {
    const [hop] = viewOf([[endpointNamed('a/one', declared)]], known).chain
    expect(hop).toMatchObject(expected)
    const event = hop ? nextOf(hop) : null
    expect(event && nextWords(event, NOW)).toBe(next)
  })
})

describe('a model that answers nothing', () => {
  it('waits for what comes first', () => {
    const known = {
      health: new Map([['a/one', quarantined()]]),
      ...marks([providerScope('b'), guessed(LATER)]),
    }
    const view = viewOf([['a/one'], ['b/two']], known)
    expect(view).toMatchObject({
      answers: false,
      answered_by: null,
      tier: null,
      next: { what: 'probe', at: SOON, endpoint: 'a/one' },
    })
  })

  it('waits for nothing where only a key is missing', () => {
    expect(viewOf([[endpointNamed('a/one', { needsKey: true })]])).toMatchObject({
      answers: false,
      next: null,
    })
  })

  it('is not said to answer because a test is due', () => {
    const known = marks([benchScope('a/one'), guessed(NOW - 1)])
    expect(viewOf([['a/one']], known)).toMatchObject({
      answers: false,
      next: { what: 'breaker test', at: NOW },
    })
  })
})

it('a model that only a suspect endpoint answers is in doubt, and with a healthy one it is not', () => {
  const health = new Map([['a/one', { state: 'suspect', cause: 'network' } as const]])
  expect(viewOf([['a/one']], { health })).toMatchObject({ answers: true, doubtful: true })
  expect(viewOf([['a/one', 'b/two']], { health })).toMatchObject({ answered_by: 'b/two', doubtful: false })
})

it('a limit whose time is over is no trouble: the model answers', () => {
  const known = marks([modelLimit, guessed(NOW - 1, { kind: 'rate_limit' })])
  expect(viewOf([['a/one']], known)).toMatchObject({ answers: true, answered_by: 'a/one' })
})

it('a test takes one call, so that what stands behind it answers', () => {
  const known = marks([modelLimit, guessed(NOW - 1, { kind: 'rate_limit' })])
  expect(viewOf([['a/one'], ['b/two']], known)).toMatchObject({ answered_by: 'b/two', tier: 2 })
})

it('what would be called is what the plan of a request holds', () => {
  const known = {
    ...marks([providerScope('a'), guessed(LATER)], [benchScope('c/one'), guessed(NOW - 1)]),
    health: new Map([['b/two', { state: 'suspect' as const, cause: 'network' as const }]]),
  }
  const chain = chainOf([['a/one', 'b/two'], ['c/one'], ['d/one']])
  const { candidates } = likelyPlan(chain, snapshotOf(known), NOW)
  const inOrder = modelView(chain, snapshotOf(known), NOW)
    .chain.filter(({ called }) => called)
    .toSorted((first, other) => (first.place ?? 0) - (other.place ?? 0))
  expect(inOrder.map(({ endpoint }) => endpoint)).toEqual(candidates.map(({ endpoint }) => endpoint.name))
})

test('a model of vectors says so', () => {
  const kind = 'embeddings' as const
  const tier = [endpointNamed('a/one', { kind })]
  expect(viewOf([tier])).toMatchObject({ kind, answers: true })
})
