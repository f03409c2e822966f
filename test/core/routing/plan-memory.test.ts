import { describe, expect, it, test } from 'vitest'
import { headroomOf, keyAtEndpoint } from '../../../lambdas/core/quota/quota-mark.ts'
import {
  benchScope,
  endpointLimits,
  keyLimits,
  providerScope,
  type BreakerScope,
} from '../../../lambdas/core/health/breaker-scope.ts'
import type { Endpoint } from '../../../lambdas/core/endpoint.ts'
import { lookAgain, planChain, type Plan } from '../../../lambdas/core/routing/plan.ts'
import type { BreakerMark, Snapshot } from '../../../lambdas/core/routing/snapshot.ts'
import { chainOf, endpointNamed, guessed, requestFor, snapshotOf, statedWait } from '../build.ts'

const NOW = 1_000_000
const SOON = NOW + 10_000
const LATER = NOW + 30_000

const one = endpointNamed('a/one')
const keyed = endpointNamed('a/one', { needsKey: true })
const local = endpointNamed('a/one', { isLocal: true })
const [providerLimit = providerScope('a'), modelLimit = providerScope('a')] = endpointLimits(one)
const [keyLimit = providerScope('a')] = keyLimits(keyed, 'k1')
const bench = benchScope(one.id)
const keys = new Map([['a', ['k1']]])

type Marked = [BreakerScope, BreakerMark]
const cooling = (scope: BreakerScope, until: number, openedAt = NOW): Marked => [
  scope,
  guessed(until, { openedAt }),
]
const breakerDue = (until: number): Marked => [providerScope('a'), guessed(until)]
const marks = (...found: readonly Marked[]) => ({ breakers: new Map(found) })
const planOf = (tiers: readonly (readonly (string | Endpoint)[])[], known: Partial<Snapshot>): Plan =>
  planChain(requestFor(), chainOf(tiers), snapshotOf(known), NOW)

describe('a bench', () => {
  it('bars its endpoint and no other of the provider', () => {
    const { candidates, skipped } = planOf([['a/one', 'a/other']], marks(cooling(bench, LATER)))
    expect(candidates.map(({ endpoint }) => endpoint.name)).toEqual(['a/other'])
    expect(skipped).toMatchObject([{ reason: 'cooldown', until: LATER, cause: 'server_error' }])
  })

  it('does not block the trial of its breaker', () => {
    const { candidates } = planOf([['a/one']], marks(cooling(bench, LATER), breakerDue(NOW)))
    expect(candidates).toMatchObject([{ trial: [{ scope: 'provider#a' }] }])
  })

  it('does not prolong an open breaker', () => {
    const { skipped } = planOf([['a/one']], marks(cooling(bench, LATER), breakerDue(SOON)))
    expect(skipped).toMatchObject([{ reason: 'breaker_open', until: SOON, cause: null }])
  })
})

describe('a candidate is a trial', () => {
  it('once the trial of its breaker is due, and only at that provider', () => {
    const { candidates } = planOf([['a/one', 'b/one'], ['a/two']], marks(breakerDue(NOW)))
    expect(candidates.map(({ trial }) => trial.length)).toEqual([1, 0, 1])
  })

  it('even where it is a suspect', () => {
    const { candidates } = planOf([['a/one']], {
      ...marks(breakerDue(NOW)),
      health: new Map([['a/one', { state: 'suspect', cause: 'network' }]]),
    })
    expect(candidates).toMatchObject([{ trial: [{ scope: 'provider#a' }], suspect: true }])
  })
})

describe('of several bars the one that ends last is told', () => {
  const rows: [string, Partial<Snapshot>, { reason: string; until: number }][] = [
    [
      'a cooldown after the breaker',
      marks(cooling(modelLimit, LATER), breakerDue(SOON)),
      { reason: 'cooldown', until: LATER },
    ],
    [
      'a breaker after the cooldown',
      marks(cooling(modelLimit, SOON), breakerDue(LATER)),
      { reason: 'breaker_open', until: LATER },
    ],
    [
      "a key's cooldown after the breaker",
      marks(cooling(keyLimit, LATER), breakerDue(SOON)),
      { reason: 'cooldown', until: LATER },
    ],
    [
      "a key's cooldown after the model's",
      marks(cooling(keyLimit, LATER), cooling(modelLimit, SOON)),
      { reason: 'cooldown', until: LATER },
    ],
    [
      'a quarantine whatever else there is',
      {
        ...marks(cooling(keyLimit, LATER)),
        health: new Map([
          [
            'a/one',
            {
              state: 'quarantined',
              since: 1,
              cause: 'model_not_found' as const,
              nextProbeAt: SOON,
              nextOnDemandAt: null,
            },
          ],
        ]),
      },
      { reason: 'quarantined', until: SOON },
    ],
  ]
  test.each(rows)('%s', (_, known, expected) => {
    const { candidates, skipped } = planOf([[keyed]], { keys, ...known })
    expect(candidates).toEqual([])
    expect(skipped).toMatchObject([expected])
    expect(lookAgain(keyed, snapshotOf({ keys, ...known }), NOW)).toMatchObject({
      state: 'barred',
      barrier: expected,
    })
  })
})

describe('a local endpoint', () => {
  const known = (at: number) => ({ ...marks(cooling(providerLimit, LATER, at)) })

  it('comes back early where nothing else is left', () => {
    expect(planOf([[local]], known(NOW - 5_000)).candidates).toHaveLength(1)
  })

  it('cools down for the short time all the same', () => {
    expect(planOf([[local]], known(NOW - 4_999)).skipped).toMatchObject([
      { reason: 'cooldown', until: NOW + 1 },
    ])
  })

  it('stays away while another candidate is left', () => {
    const { candidates, skipped } = planOf([[local, 'b/one']], known(NOW - 5_000))
    expect(candidates.map(({ endpoint }) => endpoint.name)).toEqual(['b/one'])
    expect(skipped).toMatchObject([{ endpoint: { name: 'a/one' }, until: LATER }])
  })

  it('does not bring back what is not local', () => {
    const scopes = [...endpointLimits(one), providerScope('b')]
    const both = marks(...scopes.map(scope => cooling(scope, LATER, NOW - 60_000)))
    const { candidates } = planOf([[local, 'b/one']], both)
    expect(candidates.map(({ endpoint }) => endpoint.name)).toEqual(['a/one'])
  })

  it('is tried early behind an open breaker too, but what was stated stands', () => {
    expect(planOf([[local]], marks(cooling(providerScope('a'), LATER, NOW - 5_000))).candidates).toHaveLength(
      1,
    )
    expect(planOf([[local]], marks([modelLimit, statedWait(LATER)])).skipped).toMatchObject([
      { until: LATER },
    ])
  })

  it('does not escape quarantine', () => {
    const quarantined = {
      state: 'quarantined' as const,
      since: 1,
      cause: 'model_not_found' as const,
      nextProbeAt: SOON,
      nextOnDemandAt: null,
    }
    const health = new Map([['a/one', quarantined]])
    expect(planOf([[local]], { health }).skipped).toMatchObject([{ reason: 'quarantined' }])
  })
})

describe('looking again', () => {
  it('finds what the fleet has learned meanwhile', () => {
    expect(lookAgain(one, snapshotOf(), NOW)).toEqual({ state: 'available', keys: [], trial: [] })
    expect(lookAgain(one, snapshotOf(marks(cooling(modelLimit, LATER))), NOW)).toMatchObject({
      state: 'barred',
      barrier: { reason: 'cooldown', until: LATER },
    })
  })

  it('finds the keys that are left', () => {
    const known = { ...marks(cooling(keyLimit, LATER)), keys: new Map([['a', ['k1', 'k2']]]) }
    expect(lookAgain(keyed, snapshotOf(known), NOW)).toEqual({ state: 'available', keys: ['k2'], trial: [] })
  })
})

describe('known quotas', () => {
  const quotasOf = (left: Record<string, number>) =>
    new Map(
      Object.entries(left).map(([key, headroom]) => [
        keyAtEndpoint(keyed, key),
        { headroom, spentUntil: headroom > 0 ? null : LATER },
      ]),
    )
  const twoKeys: Snapshot['keys'] = new Map([['a', ['k1', 'k2']]])
  const planned = (left: Record<string, number>) =>
    planOf([[keyed]], { keys: twoKeys, quotas: quotasOf(left) })

  it('put the key first that has most left', () => {
    expect(planned({ k1: 0.2, k2: 0.7 }).candidates).toMatchObject([{ keys: ['k2', 'k1'] }])
  })

  it('leave the keys in their order where both have as much', () => {
    expect(planned({ k1: 0.5, k2: 0.5 }).candidates).toMatchObject([{ keys: ['k1', 'k2'] }])
  })

  it('leave out a key whose quota is spent, and no other', () => {
    expect(planned({ k1: 0 }).candidates).toMatchObject([{ keys: ['k2'] }])
  })

  it('skip an endpoint where every key is spent, until one is not', () => {
    const { candidates, skipped } = planned({ k1: 0, k2: 0 })
    expect([candidates, skipped]).toMatchObject([[], [{ reason: 'quota', until: LATER }]])
    expect(skipped[0]).not.toHaveProperty('lastResortAt')
  })

  it('tell the share that is left with the best key', () => {
    expect(headroomOf(keyed, { keys: twoKeys, quotas: quotasOf({ k1: 0.2, k2: 0.7 }) })).toBe(0.7)
    expect(headroomOf(keyed, { keys: twoKeys, quotas: new Map() })).toBe(1)
  })
})
