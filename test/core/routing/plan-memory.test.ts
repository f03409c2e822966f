import { describe, expect, it, test } from 'vitest'
import { benchScope, endpointScopes, keyScopes } from '../../../lambdas/core/health/cooldown-scope.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import type { Endpoint } from '../../../lambdas/core/endpoint.ts'
import { lookAgain, planChain, type Plan } from '../../../lambdas/core/routing/plan.ts'
import type { CooldownMark, Snapshot } from '../../../lambdas/core/routing/snapshot.ts'
import { chainOf, endpointNamed, requestFor, snapshotOf } from '../build.ts'

const NOW = 1_000_000
const SOON = NOW + 10_000
const LATER = NOW + 30_000

const one = endpointNamed('a/one')
const keyed = endpointNamed('a/one', { needsKey: true })
const local = endpointNamed('a/one', { isLocal: true })
const [providerScope = '', modelScope = ''] = endpointScopes(one)
const [keyScope = ''] = keyScopes(keyed, 'k1')
const bench = benchScope(one.id)
const keys = new Map([['a', ['k1']]])

const mark = (until: number, at = NOW): CooldownMark => ({ until, at, kind: 'server_error' })
const cooling = (scope: string, until: number, at = NOW) => ({
  cooldowns: new Map([[scope, mark(until, at)]]),
})
const breakerDue = (trialAt: number) => ({ breakers: new Map([['a', { trialAt }]]) })
const planOf = (tiers: readonly (readonly (string | Endpoint)[])[], known: Partial<Snapshot>): Plan =>
  planChain(requestFor(), chainOf(tiers), snapshotOf(known), NOW)

describe('a bench', () => {
  it('bars its endpoint and no other of the provider', () => {
    const { candidates, skipped } = planOf([['a/one', 'a/other']], cooling(bench, LATER))
    expect(candidates.map(({ endpoint }) => endpoint.name)).toEqual(['a/other'])
    expect(skipped).toMatchObject([{ reason: 'cooldown', until: LATER, cause: 'server_error' }])
  })

  it('does not block the trial of its breaker', () => {
    const { candidates } = planOf([['a/one']], { ...cooling(bench, LATER), ...breakerDue(NOW) })
    expect(candidates).toMatchObject([{ trial: true }])
  })

  it('does not prolong an open breaker', () => {
    const { skipped } = planOf([['a/one']], { ...cooling(bench, LATER), ...breakerDue(SOON) })
    expect(skipped).toMatchObject([{ reason: 'breaker_open', until: SOON, cause: null }])
  })
})

describe('a candidate is a trial', () => {
  it('once the trial of its breaker is due, and only at that provider', () => {
    const { candidates } = planOf([['a/one', 'b/one'], ['a/two']], breakerDue(NOW))
    expect(candidates.map(({ trial }) => trial)).toEqual([true, false, true])
  })

  it('even where it is a suspect', () => {
    const { candidates } = planOf([['a/one']], {
      ...breakerDue(NOW),
      health: new Map([['a/one', { state: 'suspect' }]]),
    })
    expect(candidates).toMatchObject([{ trial: true, suspect: true }])
  })
})

describe('of several bars the one that ends last is told', () => {
  const rows: [string, Partial<Snapshot>, { reason: string; until: number }][] = [
    [
      'a cooldown after the breaker',
      { ...cooling(modelScope, LATER), ...breakerDue(SOON) },
      { reason: 'cooldown', until: LATER },
    ],
    [
      'a breaker after the cooldown',
      { ...cooling(modelScope, SOON), ...breakerDue(LATER) },
      { reason: 'breaker_open', until: LATER },
    ],
    [
      "a key's cooldown after the breaker",
      { ...cooling(keyScope, LATER), ...breakerDue(SOON) },
      { reason: 'cooldown', until: LATER },
    ],
    [
      "a key's cooldown after the model's",
      {
        cooldowns: new Map([
          [keyScope, mark(LATER)],
          [modelScope, mark(SOON)],
        ]),
      },
      { reason: 'cooldown', until: LATER },
    ],
    [
      'a quarantine whatever else there is',
      {
        ...cooling(keyScope, LATER),
        health: new Map([['a/one', { state: 'quarantined', since: 1, nextProbeAt: SOON }]]),
      },
      { reason: 'quarantined', until: SOON },
    ],
  ]
  test.each(rows)('%s', (_, known, expected) => {
    const { candidates, skipped } = planOf([[keyed]], { keys, ...known })
    expect(candidates).toEqual([])
    expect(skipped).toMatchObject([expected])
    expect(lookAgain(keyed, snapshotOf({ keys, ...known }), NOW)).toMatchObject({
      usable: [],
      barred: expected,
    })
  })
})

describe('a local endpoint', () => {
  const known = (at: number) => ({
    ...cooling(providerScope, LATER, at),
    settings: { ...DEFAULT_SETTINGS, local_cooldown_max_ms: 5_000 },
  })

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
    const both = {
      cooldowns: new Map([...endpointScopes(one), 'provider#b'].map(scope => [scope, mark(LATER, 1)])),
    }
    const { candidates } = planOf([[local, 'b/one']], both)
    expect(candidates.map(({ endpoint }) => endpoint.name)).toEqual(['a/one'])
  })

  it('is never cooled longer than was stated', () => {
    expect(
      planOf([[local]], {
        ...cooling(providerScope, NOW, NOW - 1),
        settings: { ...DEFAULT_SETTINGS, local_cooldown_max_ms: 5_000 },
      }).skipped,
    ).toEqual([])
  })

  it('does not escape quarantine or an open breaker', () => {
    const health = new Map([['a/one', { state: 'quarantined' as const, since: 1, nextProbeAt: null }]])
    expect(planOf([[local]], { health }).skipped).toMatchObject([{ reason: 'quarantined' }])
    expect(planOf([[local]], breakerDue(LATER)).skipped).toMatchObject([{ reason: 'breaker_open' }])
  })
})

describe('looking again', () => {
  it('finds what the fleet has learned meanwhile', () => {
    expect(lookAgain(one, snapshotOf(), NOW)).toEqual({ usable: [], barred: null })
    expect(lookAgain(one, snapshotOf(cooling(modelScope, LATER)), NOW).barred).toMatchObject({
      reason: 'cooldown',
      until: LATER,
    })
  })

  it('finds the keys that are left', () => {
    const known = { ...cooling(keyScope, LATER), keys: new Map([['a', ['k1', 'k2']]]) }
    expect(lookAgain(keyed, snapshotOf(known), NOW)).toEqual({ usable: ['k2'], barred: null })
  })
})
