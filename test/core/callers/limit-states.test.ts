import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  clientOf,
  perLimit,
  type Client,
  type ClientLimits,
} from '../../../lambdas/core/callers/client-limits.ts'
import {
  isLeased,
  leaseCounter,
  limitCounter,
  pastCounters,
  requestsUnderWay,
  windowAt,
} from '../../../lambdas/core/callers/limit-counters.ts'
import {
  isNearlySpent,
  isOver,
  limitStates,
  takes,
  type LimitState,
} from '../../../lambdas/core/callers/limit-states.ts'

const NONE: ClientLimits = { ...perLimit(() => null), concurrency: null }
const instant = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2032, 0, 1) })
const window = fc.constantFrom('minute' as const, 'day' as const, 'month' as const)

describe('windows', () => {
  it('lie side by side, and hold every instant', () => {
    const law = fc.property(window, instant, (name, at) => {
      const { id, startsAt, endsAt } = windowAt(name, at)
      expect(startsAt).toBeLessThanOrEqual(at)
      expect(endsAt).toBeGreaterThan(at)
      expect(windowAt(name, endsAt)).toMatchObject({ id: id + 1, startsAt: endsAt })
    })
    fc.assert(law)
  })

  test.each([
    ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ])('the month of %s ends %s', (at, end) => {
    expect(new Date(windowAt('month', Date.parse(at)).endsAt).toISOString()).toBe(end)
  })
})

describe('counters', () => {
  const AT = Date.UTC(2026, 8, 21, 14, 13, 20)

  it('of ended windows and leases go, and of others stay', () => {
    const before = AT - 86_400_000
    const old = [
      limitCounter('requestsPerMinute', AT - 60_000),
      limitCounter('tokensPerDay', before),
      leaseCounter(before),
    ]
    const live = [
      limitCounter('requestsPerMinute', AT),
      limitCounter('dollarsPerMonth', before),
      leaseCounter(AT),
    ]
    const counters = Object.fromEntries([...old, ...live, 'expiresAt', 'note'].map(name => [name, 1]))
    expect(new Set(pastCounters(counters, AT))).toEqual(new Set(old))
  })

  it('hold a lease for at least 90 s, and never for more than two minutes', () => {
    const law = fc.property(instant, at => {
      const lease = leaseCounter(at)
      expect(isLeased(lease, at + 89_999)).toBe(true)
      expect(isLeased(lease, at + 120_000)).toBe(false)
    })
    fc.assert(law)
    expect(requestsUnderWay({ [leaseCounter(AT)]: 3, [leaseCounter(AT - 60_000)]: 2, rm1: 9 }, AT)).toBe(5)
    expect(requestsUnderWay({ [leaseCounter(AT)]: -3 }, AT)).toBe(0)
  })
})

describe('a limit', () => {
  const state = (changes: Partial<LimitState>): LimitState => ({
    name: 'tokensPerMinute',
    limit: 1_000,
    used: 0,
    startedAt: 0,
    resetAt: 60_000,
    ...changes,
  })
  const COST = { promptTokens: 100, tokens: 356, dollars: 0.01 }

  test.each([
    ['fits', 0, 100, false],
    ['just fits', 644, 100, false],
    ['does not fit with its answer', 645, 100, true],
    ['fits for its prompt alone, where nothing is used', 0, 1_000, false],
    ['never fits', 0, 1_001, true],
  ])('a request that %s', (_, used, promptTokens, over) => {
    expect(isOver(state({ used }), used, { ...COST, promptTokens, tokens: promptTokens + 256 })).toBe(over)
  })

  it('that is reached admits nothing, even what seems to cost nothing', () => {
    const money = state({ name: 'dollarsPerMonth', limit: 5 })
    expect(isOver(money, 5, { ...COST, dollars: 0 })).toBe(true)
    expect(isOver(money, 4.99, { ...COST, dollars: 0 })).toBe(false)
    expect(takes(money, { ...COST, dollars: 7 })).toBe(5)
  })

  test.each([
    ['much is left', { used: 1, limit: 100_000 }, 1_000, 0, false],
    ['little is left', { used: 97_000, limit: 100_000 }, 1_000, 0, true],
    ['enough is left, but much is under way', { used: 50_000, limit: 100_000 }, 1_000, 100, true],
    ['nothing is known for long', { used: 1, limit: 100_000 }, 60_000, 0, true],
    [
      'its window has just begun, whatever was known',
      { used: 0, limit: 100_000, startedAt: 59_900 },
      60_000,
      0,
      false,
    ],
  ])('is nearly spent or not: %s', (_, changes, now, underWay, near) => {
    expect(isNearlySpent(state(changes), COST, { knownAt: 0, underWay, now })).toBe(near)
  })

  it('is nearly spent before it is over: nothing is refused that was not asked for', () => {
    const law = fc.property(fc.nat(2_000), fc.nat(500), fc.nat(100), (used, promptTokens, underWay) => {
      const cost = { promptTokens, tokens: promptTokens + 256, dollars: 0 }
      const near = isNearlySpent(state({ used }), cost, { knownAt: 0, underWay, now: 0 })
      if (isOver(state({ used }), used, cost)) expect(near).toBe(true)
    })
    fc.assert(law)
  })

  it('is told only where it is declared', () => {
    expect(limitStates(NONE, { rm1: 4 }, 0)).toEqual([])
    expect(limitStates({ ...NONE, requestsPerMinute: 5, concurrency: 2 }, { rm0: 4 }, 1_000)).toEqual([
      { name: 'requestsPerMinute', limit: 5, used: 4, startedAt: 0, resetAt: 60_000 },
      { name: 'concurrency', limit: 2, used: 0, startedAt: null, resetAt: null },
    ])
  })
})

test('a client without an entry of its own has the one for all others, where there is one', () => {
  const own: Client = { models: ['a'], limits: NONE }
  const others: Client = { models: null, limits: NONE }
  const clients = new Map([['app', own]])
  expect([clientOf(clients, 'app'), clientOf(clients, 'x')]).toEqual([own, null])
  clients.set('*', others)
  expect([clientOf(clients, 'app'), clientOf(clients, 'x'), clientOf(clients, '__proto__')]).toEqual([
    own,
    others,
    others,
  ])
})
