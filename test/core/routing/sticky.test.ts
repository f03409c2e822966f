import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { Candidate, Chain } from '../../../lambdas/core/endpoint.ts'
import type { Plan } from '../../../lambdas/core/routing/plan.ts'
import { hasChoice, isUsualPlace, stickTo } from '../../../lambdas/core/routing/sticky.ts'
import { candidatesOf, chainOf, emptySnapshot, endpointNamed } from '../build.ts'

const WELL = emptySnapshot()

const planOf = (candidates: readonly Candidate[]): Plan => ({
  candidates,
  lastResorts: [],
  skipped: [],
  degraded: false,
})

const namesOf = ({ candidates }: Plan): readonly string[] => candidates.map(({ endpoint }) => endpoint.name)

const stuck = (tiers: readonly (readonly string[])[], endpoint: string): readonly string[] =>
  namesOf(stickTo(planOf(candidatesOf(tiers)), { endpoint, key: null }, WELL))

describe('the plan of a conversation', () => {
  test.each([
    ['puts what served it last before its equals', [['a/m', 'b/m', 'c/m']], 'c/m', ['c/m', 'a/m', 'b/m']],
    ['stays below a better tier', [['a/m'], ['b/m', 'c/m'], ['d/m']], 'c/m', ['a/m', 'c/m', 'b/m', 'd/m']],
    ['is as it was where that comes first', [['a/m', 'b/m']], 'a/m', ['a/m', 'b/m']],
    ['is as it was where that is no candidate', [['a/m', 'b/m']], 'z/m', ['a/m', 'b/m']],
    ['leaves a suspect where it is', [['a/m'], ['b/m'], ['~c/m']], 'c/m', ['a/m', 'b/m', 'c/m']],
    [
      'puts it before the suspects where all better tiers are suspect',
      [['b/m', 'c/m'], ['~a/m']],
      'c/m',
      ['c/m', 'b/m', 'a/m'],
    ],
  ])('%s', (_, tiers, last, expected) => {
    expect(stuck(tiers, last)).toEqual(expected)
  })

  it('keeps an endpoint where it is that needs a trial, or is a last resort', () => {
    const [a, b] = candidatesOf([['a/m', 'b/m']])
    if (!a || !b) throw new Error('two were asked for')
    const half = { ...b, trial: [{ scope: 'provider#b' as const, everyMs: null }] }
    for (const weak of [half, { ...b, lastResort: true }]) {
      const plan = planOf([a, weak])
      expect(stickTo(plan, { endpoint: 'b/m', key: null }, WELL)).toBe(plan)
    }
  })

  it('is as it was while the fleet is degraded and that provider fails others', () => {
    const last = { endpoint: 'b/m', key: null }
    const plan = planOf(candidatesOf([['a/m', 'b/m']]))
    const firstOf = (degraded: boolean, failing: readonly string[]): string | undefined =>
      namesOf(stickTo({ ...plan, degraded }, last, { failing: new Set(failing) }))[0]
    expect(firstOf(true, ['b'])).toBe('a/m')
    expect(firstOf(true, ['a'])).toBe('b/m')
    expect(firstOf(false, ['b'])).toBe('b/m')
  })

  it('uses the same key first, because a cache is its account’s', () => {
    const keysFor = (key: string | null) =>
      stickTo(planOf(candidatesOf([['a/m', 'b/m']], ['k1', 'k2', 'k3'])), { endpoint: 'b/m', key }, WELL)
        .candidates[0]
    expect(keysFor('k3')).toMatchObject({ sticky: true, keys: ['k3', 'k1', 'k2'] })
    expect(keysFor('gone')).toMatchObject({ sticky: true, keys: ['k1', 'k2', 'k3'] })
    expect(keysFor(null)?.keys).toEqual(['k1', 'k2', 'k3'])
  })

  it('is always the same candidates, and never moves one past another tier', () => {
    const tiers = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 4,
    })
    fc.assert(
      fc.property(tiers, fc.nat(15), (shape, index) => {
        const all = shape.flatMap((tier, at) =>
          candidatesOf([tier.map((suspect, replica) => `${suspect ? '~' : ''}p${at}x${replica}/m`)]).map(
            candidate => ({ ...candidate, tier: at }),
          ),
        )
        const plan = planOf([...all.filter(one => !one.suspect), ...all.filter(one => one.suspect)])
        const endpoint = plan.candidates[index % plan.candidates.length]?.endpoint.id ?? ''
        const after = stickTo(plan, { endpoint, key: null }, WELL)
        expect(namesOf(after).toSorted()).toEqual(namesOf(plan).toSorted())
        const ranks = ({ candidates }: Plan) => candidates.map(({ tier, suspect }) => [suspect, tier])
        expect(ranks(after)).toEqual(ranks(plan))
      }),
    )
  })
})

const ONE_KEY = new Map([['a', ['k1']]])
const TWO_KEYS = new Map([['a', ['k1', 'k2']]])
const choiceOf = (tiers: string[][], keys = ONE_KEY, more: Partial<Chain> = {}): boolean =>
  hasChoice({ chain: { ...chainOf(tiers), ...more }, keys })

describe('what need be remembered', () => {
  it('is nothing where each tier is one endpoint with one key, or the alias does not want it', () => {
    expect(choiceOf([['a/m'], ['b/m']])).toBe(false)
    expect(choiceOf([['a/m', 'b/m']])).toBe(true)
    expect(choiceOf([['a/m'], ['b/m']], TWO_KEYS)).toBe(true)
    expect(choiceOf([['a/m', 'b/m']], TWO_KEYS, { sticky: false })).toBe(false)
  })

  it('is not the place where the next request goes by itself', () => {
    const usual = (name: string, tier: number, keys = ONE_KEY, more: Partial<Chain> = {}): boolean =>
      isUsualPlace(
        { chain: { ...chainOf([['a/m', 'b/m'], ['c/m']]), ...more }, keys },
        tier,
        endpointNamed(name),
      )
    expect(usual('a/m', 0)).toBe(true)
    expect(usual('b/m', 0)).toBe(false)
    expect(usual('c/m', 1)).toBe(true)
    expect(usual('a/m', 0, TWO_KEYS)).toBe(false)
    expect(usual('a/m', 0, ONE_KEY, { strategy: 'fastest' })).toBe(false)
  })
})
