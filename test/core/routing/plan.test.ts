import { describe, expect, it, test } from 'vitest'
import {
  endpointLimits,
  keyLimits,
  providerScope,
  type BreakerScope,
} from '../../../lambdas/core/health/breaker-scope.ts'
import type { Endpoint } from '../../../lambdas/core/endpoint.ts'
import { modelTag } from '../../../lambdas/core/health/short-hash.ts'
import {
  firstOnly,
  planChain,
  withLastResorts,
  type Plan,
  type Skipped,
} from '../../../lambdas/core/routing/plan.ts'
import type { BreakerMark, Snapshot } from '../../../lambdas/core/routing/snapshot.ts'
import {
  chainOf,
  endpointNamed,
  guessed,
  requestFor,
  snapshotOf,
  statedWait,
  emptySnapshot,
} from '../build.ts'

const NOW = 1_000_000
const LATER = NOW + 30_000

const one = endpointNamed('a/one')
const keyed = endpointNamed('a/one', { needsKey: true })
const [providerLimit = providerScope('a'), modelLimit = providerScope('a')] = endpointLimits(one)
const [keyLimit = providerScope('a'), keyModelLimit = providerScope('a')] = keyLimits(keyed, 'k1')
const marks = (...found: readonly [BreakerScope, BreakerMark][]) => ({ breakers: new Map(found) })

const namesOf = ({ candidates }: Plan): string[] => candidates.map(({ endpoint }) => endpoint.name)
const planOf = (tiers: Parameters<typeof chainOf>[0], snapshot = emptySnapshot(), request = requestFor()) =>
  planChain(request, chainOf(tiers), snapshot, NOW)

const needing = (need: 'tools' | 'vision' | 'json') =>
  requestFor({ needs: { tools: false, vision: false, json: false, [need]: true } })

describe('the order', () => {
  it('is that of the tiers, and inside a tier that of the configuration', () => {
    const plan = planOf([['a/one', 'b/one'], ['c/two']])
    expect(plan.candidates.map(({ endpoint, tier }) => [endpoint.name, tier])).toEqual([
      ['a/one', 0],
      ['b/one', 0],
      ['c/two', 1],
    ])
    expect(plan.skipped).toEqual([])
  })

  it('puts suspects behind every healthy candidate of the whole chain, in tier order', () => {
    const health = new Map([
      ['a/one', { state: 'suspect' as const, cause: 'network' as const }],
      ['c/two', { state: 'suspect' as const, cause: 'network' as const }],
    ])
    const plan = planOf([['a/one', 'b/one'], ['c/two'], ['d/three']], snapshotOf({ health }))
    expect(namesOf(plan)).toEqual(['b/one', 'd/three', 'a/one', 'c/two'])
    expect(plan.candidates.map(({ suspect }) => suspect)).toEqual([false, false, true, true])
  })
})

describe('an endpoint is skipped', () => {
  const long = requestFor({ promptTokens: 8_001 })
  const plain = requestFor()
  const quarantined = {
    state: 'quarantined' as const,
    since: NOW,
    cause: 'model_not_found' as const,
    nextProbeAt: LATER,
    nextOnDemandAt: NOW,
  }
  const open = marks([providerScope('a'), guessed(LATER)])

  const rows: [
    string,
    Partial<Endpoint>,
    ReturnType<typeof requestFor>,
    Partial<Snapshot>,
    Partial<Skipped>,
  ][] = [
    ['without tools where they are needed', { tools: false }, needing('tools'), {}, { reason: 'no_tools' }],
    ['without vision where it is needed', { vision: false }, needing('vision'), {}, { reason: 'no_vision' }],
    ['without JSON mode where it is needed', { json: false }, needing('json'), {}, { reason: 'no_json' }],
    [
      'with a window smaller than the prompt',
      { contextWindow: 8_000 },
      long,
      {},
      { reason: 'context_too_small' },
    ],
    ['without the key that it needs', { needsKey: true }, plain, {}, { reason: 'no_key', until: null }],
    [
      'with an empty list of keys where it needs one',
      { needsKey: true },
      plain,
      { keys: new Map([['a', []]]) },
      { reason: 'no_key' },
    ],
    [
      'in quarantine, until its next probe',
      {},
      plain,
      { health: new Map([['a/one', quarantined]]) },
      { reason: 'quarantined', until: LATER },
    ],
    [
      'in quarantine, without an end where nothing probes it',
      { probe: false },
      plain,
      { health: new Map([['a/one', quarantined]]) },
      { reason: 'quarantined', until: null },
    ],
    ['behind an open breaker, until its trial', {}, plain, open, { reason: 'breaker_open', until: LATER }],
    [
      'while its provider cools down',
      {},
      plain,
      marks([providerLimit, statedWait(LATER)]),
      { reason: 'cooldown', until: LATER, cause: 'rate_limit' },
    ],
    [
      'while its model cools down',
      {},
      plain,
      marks([modelLimit, guessed(LATER, { kind: 'overloaded' })]),
      { reason: 'cooldown', until: LATER, cause: 'overloaded' },
    ],
    [
      'until the last of its cooldowns ends',
      {},
      plain,
      marks([providerLimit, guessed(LATER + 5)], [modelLimit, statedWait(LATER)]),
      { reason: 'cooldown', until: LATER + 5 },
    ],
    [
      'while its only key cools down',
      { needsKey: true },
      plain,
      { keys: new Map([['a', ['k1']]]), ...marks([keyLimit, statedWait(LATER)]) },
      { reason: 'cooldown', until: LATER, cause: 'rate_limit' },
    ],
    [
      'for what no wait cures rather than for what one does',
      { tools: false },
      needing('tools'),
      { health: new Map([['a/one', quarantined]]) },
      { reason: 'no_tools', until: null },
    ],
    [
      'for its missing key rather than for an open breaker',
      { needsKey: true },
      plain,
      open,
      { reason: 'no_key', until: null },
    ],
  ]
  test.each(rows)('%s', (_, endpoint, request, snapshot, expected) => {
    const chain = [[endpointNamed('a/one', endpoint)], ['b/two']]
    const plan = planOf(chain, snapshotOf(snapshot), request)
    expect(namesOf(plan)).toEqual(['b/two'])
    expect(plan.skipped).toMatchObject([{ endpoint: { name: 'a/one' }, tier: 0, ...expected }])
  })
})

describe('an endpoint is not skipped', () => {
  const everything = requestFor({ needs: { tools: true, vision: true, json: true }, promptTokens: 1_000_000 })
  const rows: [string, Partial<Endpoint>, ReturnType<typeof requestFor>, Partial<Snapshot>][] = [
    ['where nobody declared what it can do', {}, everything, {}],
    ['where the prompt just fits', { contextWindow: 100 }, requestFor(), {}],
    [
      'where it lacks what the request does not need',
      { tools: false, vision: false, json: false },
      requestFor(),
      {},
    ],
    ['once a breaker trial is due', {}, requestFor(), marks([providerScope('a'), guessed(NOW)])],
    ['once its cooldown has ended', {}, requestFor(), marks([providerLimit, statedWait(NOW)])],
    ['for the sake of a key that it does not need', { needsKey: false }, requestFor(), {}],
    [
      'for the quarantine of another one',
      {},
      requestFor(),
      {
        health: new Map([
          [
            'a/other',
            {
              state: 'quarantined',
              since: NOW,
              cause: 'model_not_found' as const,
              nextProbeAt: NOW,
              nextOnDemandAt: null,
            },
          ],
        ]),
      },
    ],
  ]
  test.each(rows)('%s', (_, endpoint, request, snapshot) => {
    const plan = planOf([[endpointNamed('a/one', endpoint)]], snapshotOf(snapshot), request)
    expect(namesOf(plan)).toEqual(['a/one'])
  })
})

describe('keys', () => {
  const keys = new Map([['a', ['k1', 'k2', 'k3']]])
  const keysLeft = (...found: readonly [BreakerScope, BreakerMark][]) =>
    planOf([[keyed]], snapshotOf({ keys, ...marks(...found) })).candidates.map(candidate => candidate.keys)

  it('are those of the provider, in order', () => {
    expect(keysLeft()).toEqual([['k1', 'k2', 'k3']])
  })

  it('that cool down are left out while others are usable', () => {
    expect(keysLeft([keyLimit, guessed(LATER)])).toEqual([['k2', 'k3']])
  })

  it('that cool down for one model are left out for that model only', () => {
    const snapshot = snapshotOf({ keys, ...marks([keyModelLimit, guessed(LATER)]) })
    const plan = planOf([[keyed, endpointNamed('a/other', { needsKey: true })]], snapshot)
    expect(plan.candidates.map(candidate => candidate.keys)).toEqual([
      ['k2', 'k3'],
      ['k1', 'k2', 'k3'],
    ])
  })

  it('bar the endpoint until the first of them is back', () => {
    const ends: [string, number][] = [
      ['k1', LATER + 9],
      ['k2', LATER + 3],
      ['k3', LATER + 6],
    ]
    const found = ends.flatMap(([key, end]) =>
      keyLimits(keyed, key).map((scope): [BreakerScope, BreakerMark] => [scope, statedWait(end)]),
    )
    const plan = planOf([[keyed]], snapshotOf({ keys, ...marks(...found) }))
    expect(plan.candidates).toEqual([])
    expect(plan.skipped).toMatchObject([{ reason: 'cooldown', until: LATER + 3, cause: 'rate_limit' }])
  })
})

describe('what only guesses bar', () => {
  const bench = (until: number): [BreakerScope, BreakerMark] => [
    modelLimit,
    guessed(until, { openedAt: NOW - 60_000 }),
  ]

  it('is a last resort, the one that returns first before the others', () => {
    const other: [BreakerScope, BreakerMark] = [providerScope('b'), guessed(LATER - 1)]
    const plan = planOf([['a/one', 'b/one'], ['c/two']], snapshotOf(marks(bench(LATER), other)))
    expect(namesOf(plan)).toEqual(['c/two'])
    expect(plan.lastResorts.map(({ endpoint, lastResort }) => [endpoint.name, lastResort])).toEqual([
      ['b/one', true],
      ['a/one', true],
    ])
    expect(plan.skipped).toHaveLength(2)
  })

  it('becomes a candidate where nothing else is left, whatever bars the others', () => {
    const health = new Map([
      [
        'b/one',
        {
          state: 'quarantined' as const,
          since: NOW,
          cause: 'model_not_found' as const,
          nextProbeAt: LATER,
          nextOnDemandAt: LATER,
        },
      ],
    ])
    const plan = withLastResorts(
      planOf([['b/one'], ['a/one']], snapshotOf({ health, ...marks(bench(LATER)) })),
      NOW,
    )
    expect(namesOf(plan)).toEqual(['a/one'])
    expect(plan.skipped).toMatchObject([{ endpoint: { name: 'b/one' }, reason: 'quarantined' }])
  })

  it('must have been left alone for a while', () => {
    const justOpened = marks([modelLimit, guessed(LATER, { openedAt: NOW - 1_999 })])
    const plan = withLastResorts(planOf([['a/one']], snapshotOf(justOpened)), NOW)
    expect(namesOf(plan)).toEqual([])
    expect(plan.skipped).toMatchObject([{ lastResortAt: NOW + 1 }])
  })

  it('claims every breaker in its way, and none where one of them was stated', () => {
    const both = marks(bench(LATER), [providerScope('a'), guessed(LATER)])
    const [resort] = planOf([['a/one']], snapshotOf(both)).lastResorts
    expect(resort?.trial.map(({ scope }) => scope)).toEqual([providerScope('a'), modelLimit])
    const stated = marks([modelLimit, statedWait(LATER)], [providerScope('a'), guessed(LATER)])
    expect(planOf([['a/one']], snapshotOf(stated)).lastResorts).toEqual([])
  })
})

describe('a model that opened the breaker of its provider', () => {
  const causedBy = (name: string): BreakerMark => ({ ...guessed(NOW), causes: [modelTag(name)] })

  it('leaves the trial to its siblings at first', () => {
    const plan = planOf([['a/one', 'a/two']], snapshotOf(marks([providerScope('a'), causedBy('a/one')])))
    expect(namesOf(plan)).toEqual(['a/two'])
    expect(plan.skipped).toMatchObject([{ reason: 'breaker_open', until: NOW + 10_000 }])
  })
})

it('the first endpoint alone is all that a client may want', () => {
  const chain = chainOf([['a/one', 'b/one'], ['c/two']])
  expect(
    firstOnly(requestFor(), chain, emptySnapshot())
      .tiers.flat()
      .map(({ name }) => name),
  ).toEqual(['a/one'])
})
