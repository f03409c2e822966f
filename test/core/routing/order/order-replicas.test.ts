import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { FIRST_OUTPUT, PROMPT_SIZES, binOf } from '../../../../lambdas/core/health/answer-speed.ts'
import { orderReplicas, type OrderLook } from '../../../../lambdas/core/routing/order/order-replicas.ts'
import type { EndpointFigures } from '../../../../lambdas/core/routing/endpoint-figures.ts'
import type { Endpoint } from '../../../../lambdas/core/endpoint.ts'
import { keyAtEndpoint } from '../../../../lambdas/core/quota/quota-mark.ts'
import { recordOf } from '../../../../lambdas/core/record-of.ts'
import { STRATEGY_NAMES, type Strategy } from '../../../../lambdas/core/order/strategies.ts'
import { seededRandom } from '../../../bench/week/random.ts'
import { endpointNamed, snapshotOf } from '../../build.ts'

type Known = {
  successes?: number
  failures?: number
  firstMs?: number
  pace?: number
  tokensPerSecond?: number
}

/** Figures of an endpoint that is called all the time. */
function figuresOf({
  successes = 0,
  failures = 0,
  firstMs,
  pace = 1,
  tokensPerSecond,
}: Known): EndpointFigures {
  const outcomes = { successes, failures }
  const bins = new Map(firstMs === undefined ? [] : [[binOf(firstMs), 50]])
  const first = { answers: firstMs === undefined ? 0 : 50, bins }
  return {
    ...outcomes,
    late: outcomes,
    recent: outcomes,
    firstOutput: recordOf(PROMPT_SIZES, () => first),
    pace,
    tokensPerSecond: tokensPerSecond ?? null,
    outputTokens: null,
  }
}

function lookAt(known: Record<string, Known>, random: OrderLook['random'] = null): OrderLook {
  const figures = new Map(Object.entries(known).map(([id, one]) => [id, figuresOf(one)]))
  return { snapshot: snapshotOf({ figures }), promptTokens: 1_000, random }
}

const namesOf = (
  replicas: readonly Endpoint[],
  strategy: Strategy | undefined,
  look: OrderLook,
): readonly string[] => orderReplicas(replicas, strategy, look).map(({ endpoint }) => endpoint.name)

const [A, B, C] = [endpointNamed('a/m'), endpointNamed('b/m'), endpointNamed('c/m')] as const
const GOOD = { successes: 95, failures: 5 }
const POOR = { successes: 50, failures: 50 }

describe('the likeliest order', () => {
  const price = (input: number): Partial<Endpoint> => ({ price: { input, output: 4 * input } })

  test.each<[string, Strategy, Record<string, Known>, string[]]>([
    [
      'priority is the listed one, whatever is known',
      'priority',
      { 'a/m': POOR, 'b/m': GOOD },
      ['a/m', 'b/m', 'c/m'],
    ],
    [
      'balanced begins with what answers',
      'balanced',
      { 'a/m': POOR, 'b/m': GOOD, 'c/m': POOR },
      ['b/m', 'a/m', 'c/m'],
    ],
    [
      'reliable bears a slow answer rather than a failure',
      'reliable',
      {
        'a/m': { successes: 85, failures: 15, firstMs: 300 },
        'b/m': { ...GOOD, firstMs: 1_200 },
        'c/m': { ...POOR, firstMs: 100 },
      },
      ['b/m', 'a/m', 'c/m'],
    ],
    [
      'fastest bears a failure rather than a slow answer',
      'fastest',
      {
        'a/m': { successes: 85, failures: 15, firstMs: 300 },
        'b/m': { ...GOOD, firstMs: 1_200 },
        'c/m': { ...GOOD, firstMs: 4_000 },
      },
      ['a/m', 'b/m', 'c/m'],
    ],
    [
      'fastest counts the tokens of a second too',
      'fastest',
      {
        'a/m': { ...GOOD, firstMs: 500, tokensPerSecond: 20 },
        'b/m': { ...GOOD, firstMs: 500, tokensPerSecond: 200 },
        'c/m': { ...GOOD, firstMs: 500, tokensPerSecond: 60 },
      },
      ['b/m', 'c/m', 'a/m'],
    ],
    [
      'fastest knows what has become slow within the hour',
      'fastest',
      {
        'a/m': { ...GOOD, firstMs: 400, pace: 5 },
        'b/m': { ...GOOD, firstMs: 900 },
        'c/m': { ...GOOD, firstMs: 1_500 },
      },
      ['b/m', 'c/m', 'a/m'],
    ],
    ['what nothing is known of is as listed', 'fastest', {}, ['a/m', 'b/m', 'c/m']],
  ])('of %s', (_, strategy, known, expected) => {
    expect(namesOf([A, B, C], strategy, lookAt(known))).toEqual(expected)
  })

  it('of cheapest is by price, with what has none in the middle, and what hardly answers last', () => {
    const [cheap, dear, free] = [
      endpointNamed('cheap/m', price(1)),
      endpointNamed('dear/m', price(9)),
      endpointNamed('free/m', price(0)),
    ]
    const known = { 'cheap/m': GOOD, 'dear/m': GOOD, 'free/m': GOOD, 'a/m': GOOD }
    expect(namesOf([dear, A, cheap], 'cheapest', lookAt(known))).toEqual(['cheap/m', 'a/m', 'dear/m'])
    expect(namesOf([dear, cheap, free], 'cheapest', lookAt(known))).toEqual(['free/m', 'cheap/m', 'dear/m'])
    const broken = { ...known, 'free/m': { successes: 1, failures: 99 } }
    expect(namesOf([dear, cheap, free], 'cheapest', lookAt(broken))).toEqual(['cheap/m', 'dear/m', 'free/m'])
  })

  it('spreads the load by what is left of known quotas', () => {
    const look = lookAt({ 'a/m': GOOD, 'b/m': GOOD })
    const quotas = new Map([[keyAtEndpoint(A, null), { headroom: 0.2, spentUntil: null }]])
    const [first] = orderReplicas([A, B], 'balanced', { ...look, snapshot: { ...look.snapshot, quotas } })
    expect(first).toMatchObject({ endpoint: B, rank: { by: 'balanced', factors: { headroom: 1 } } })
  })
})

describe('by chance', () => {
  it('the same seed gives the same order, and every order is one of the same replicas', () => {
    const known = fc.record({
      successes: fc.nat(1_000),
      failures: fc.nat(1_000),
      firstMs: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
      tokensPerSecond: fc.option(fc.integer({ min: 1, max: 1_000 }), { nil: undefined }),
    })
    const weights = fc.option(fc.constantFrom(0, 1, 3), { nil: undefined })
    fc.assert(
      fc.property(
        fc.constantFrom(...STRATEGY_NAMES),
        fc.array(fc.tuple(fc.option(known), weights), { maxLength: 6 }),
        fc.integer(),
        (strategy, drawn, seed) => {
          const replicas = drawn.map(([, weight], index) =>
            endpointNamed(`p${index}/m`, weight === undefined ? {} : { weight }),
          )
          const figures = Object.fromEntries(
            drawn.flatMap(([one], index) => (one ? [[`p${index}/m`, one as Known]] : [])),
          )
          const names = namesOf(replicas, strategy, lookAt(figures, seededRandom(seed)))
          expect(names.toSorted()).toEqual(replicas.map(({ name }) => name).toSorted())
          expect(namesOf(replicas, strategy, lookAt(figures, seededRandom(seed)))).toEqual(names)
        },
      ),
    )
  })

  /** How often each replica comes first. */
  function firsts(replicas: readonly Endpoint[], look: OrderLook, strategy: Strategy = 'balanced') {
    const counts = new Map<string, number>()
    for (let draw = 0; draw < 4_000; draw += 1) {
      const [name = ''] = namesOf(replicas, strategy, look)
      counts.set(name, (counts.get(name) ?? 0) + 1 / 4_000)
    }
    return (name: string): number => counts.get(name) ?? 0
  }

  it('an endpoint that nothing is known of is tried, and one that is known to be worse hardly ever', () => {
    const share = firsts([A, B, C], lookAt({ 'a/m': GOOD, 'b/m': POOR }, seededRandom(1)))
    // One in five, as long as nothing is known of it, and whatever chance makes of the others.
    expect(share('c/m')).toBeGreaterThan(0.15)
    expect(share('c/m')).toBeLessThan(0.3)
    expect(share('b/m')).toBeLessThan(0.005)
  })

  it('one that was bad when it was called last gets a try now and then, and a degraded fleet tries nothing', () => {
    const figures = new Map([
      ['a/m', figuresOf(GOOD)],
      [
        'b/m',
        {
          ...figuresOf({ failures: 1_000 }),
          late: { successes: 0, failures: 0 },
          recent: { successes: 0, failures: 0 },
        },
      ],
    ])
    const look = { snapshot: snapshotOf({ figures }), promptTokens: 1_000, random: seededRandom(1) }
    const tried = firsts([A, B], look)('b/m')
    expect(tried).toBeGreaterThan(0.01)
    expect(tried).toBeLessThan(0.03)
    const degraded = { ...look, snapshot: snapshotOf({ figures, degraded: true }) }
    expect(firsts([B, A], degraded)('b/m')).toBe(0)
  })

  it('nothing is tried out on a request that can be sent only once', () => {
    const look = { ...lookAt({ 'a/m': GOOD }, seededRandom(1)), sentOnce: true }
    expect(firsts([C, B, A], look)('a/m')).toBeCloseTo(1, 6)
  })

  it('weights win over the strategy: 3 to 1 is three quarters, and 0 comes after all others', () => {
    const weighted = (name: string, weight?: number): Endpoint =>
      endpointNamed(name, weight === undefined ? {} : { weight })
    const replicas = [weighted('spare/m', 0), weighted('one/m'), weighted('three/m', 3)]
    const look = lookAt({ 'one/m': GOOD, 'three/m': POOR, 'spare/m': GOOD }, seededRandom(1))
    const share = firsts(replicas, look, 'fastest')
    expect(share('three/m')).toBeCloseTo(0.75, 1)
    expect(share('one/m')).toBeCloseTo(0.25, 1)
    expect(namesOf(replicas, 'fastest', look).at(-1)).toBe('spare/m')
    expect(namesOf(replicas, 'fastest', { ...look, random: null })).toEqual(['three/m', 'one/m', 'spare/m'])
  })
})

describe('what users of other gateways have met', () => {
  const weighted = (name: string, weight: number): Endpoint => endpointNamed(name, { weight })

  // https://github.com/BerriAI/litellm/issues/33329
  it('weights count wherever the one that declares them is listed', () => {
    for (const replicas of [
      [A, weighted('b/m', 9)],
      [weighted('b/m', 9), A],
    ]) {
      expect(namesOf(replicas, undefined, lookAt({}))).toEqual(['b/m', 'a/m'])
    }
  })

  // https://github.com/maximhq/bifrost/issues/5473
  it('small weights are shares like any other', () => {
    const random = seededRandom(1)
    const replicas = [weighted('a/m', 0.003), weighted('b/m', 0.001)]
    const firsts = Array.from({ length: 4_000 }, () => namesOf(replicas, undefined, lookAt({}, random))[0])
    expect(firsts.filter(name => name === 'a/m').length / firsts.length).toBeCloseTo(0.75, 1)
  })

  // https://github.com/BerriAI/litellm/pull/27980
  it('weights that are all 0 leave the replicas as listed', () => {
    const replicas = [weighted('b/m', 0), weighted('a/m', 0)]
    expect(namesOf(replicas, undefined, lookAt({}, seededRandom(1)))).toEqual(['b/m', 'a/m'])
  })

  // https://github.com/BerriAI/litellm/pull/39970
  it('an endpoint without any time is ordered by what else is known', () => {
    const known = {
      'a/m': { successes: 100 },
      'b/m': { successes: 90, failures: 10, firstMs: 500 },
      'c/m': { failures: 100 },
    }
    expect(namesOf([C, B, A], 'fastest', lookAt(known))).toEqual(['a/m', 'b/m', 'c/m'])
  })

  it('failing at once is not being fast', () => {
    const known = { 'a/m': { successes: 3, failures: 97, firstMs: 50 }, 'b/m': { ...GOOD, firstMs: 900 } }
    expect(namesOf([A, B], 'fastest', lookAt(known))).toEqual(['b/m', 'a/m'])
  })
})

describe('an endpoint that breaks', () => {
  it('loses its place to one that answers seven of ten after some thirty calls, whatever stood to its credit', () => {
    const days = { successes: 9_500, failures: 500 }
    const broken: EndpointFigures = {
      ...figuresOf(days),
      late: { successes: 500, failures: 50 },
      recent: { successes: 14, failures: 26 },
    }
    const figures = new Map([
      ['a/m', broken],
      ['b/m', figuresOf({ successes: 70, failures: 30 })],
    ])
    const look = { snapshot: snapshotOf({ figures }), promptTokens: 1_000, random: null }
    expect(namesOf([A, B], 'reliable', look)).toEqual(['b/m', 'a/m'])
  })
})

it('the sizes of prompts each have a counter', () => {
  expect(Object.keys(FIRST_OUTPUT)).toEqual([...PROMPT_SIZES])
})
