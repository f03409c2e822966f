import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { allowanceOf } from '../../../lambdas/core/quota/allowance.ts'
import { countsOf } from '../../../lambdas/core/quota/quota-counters.ts'
import type { QuotaCounters, QuotaName, QuotaRule } from '../../../lambdas/core/quota/quotas.ts'
import { attributesOf, kindBetween, type ToldLimit } from '../../../lambdas/core/quota/told-limit.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Midnight of a day of UTC. */
const DAY_AT = 20_800 * 24 * HOUR
const NOW = DAY_AT + 10 * HOUR

const ruleOf = (name: QuotaName, declared: number | null, resetHour: number | null = null): QuotaRule => ({
  name,
  declared,
  resetHour,
})
const PER_MINUTE = ruleOf('requestsPerMinute', 20)
const TOLD = ruleOf('requestsPerMinute', null)

/** Counters after so many claims, each at its instant. */
function after(name: QuotaName, claims: readonly (readonly [at: number, cost: number])[]): QuotaCounters {
  const counters: Record<string, number> = {}
  for (const [at, cost] of claims) {
    for (const [attribute, count] of Object.entries(countsOf(name, at, cost))) {
      counters[attribute] = (counters[attribute] ?? 0) + count
    }
  }
  return counters
}

const toldLimit = (parts: Partial<ToldLimit>): ToldLimit => ({
  kind: 'untold',
  limit: 20,
  remaining: 5,
  at: NOW,
  total: 0,
  endsAt: NOW + 30 * SECOND,
  doubts: 0,
  ...parts,
})
const withTold = (counters: QuotaCounters, parts: Partial<ToldLimit>): QuotaCounters => ({
  ...counters,
  ...attributesOf('requestsPerMinute', toldLimit(parts)),
})

describe('a declared limit of a minute', () => {
  it('is whole where nothing was claimed', () => {
    expect(allowanceOf(PER_MINUTE, {}, NOW)).toEqual({ limit: 20, left: 20, returnsAt: NOW })
  })

  it('comes back as its claims leave the last minute, not with the minute of a clock', () => {
    const counters = after('requestsPerMinute', [
      [NOW, 15],
      [NOW + 10 * SECOND, 5],
    ])
    expect(allowanceOf(PER_MINUTE, counters, NOW + 59 * SECOND)).toMatchObject({ left: 0 })
    const { returnsAt = 0 } = allowanceOf(PER_MINUTE, counters, NOW + 59 * SECOND) ?? {}
    expect(returnsAt).toBeGreaterThanOrEqual(NOW + MINUTE)
    expect(returnsAt).toBeLessThanOrEqual(NOW + MINUTE + 1_500)
    expect(allowanceOf(PER_MINUTE, counters, returnsAt)).toMatchObject({ left: 15 })
  })

  it('lets a request pass that is larger than itself once nothing else is counted', () => {
    const rule = ruleOf('tokensPerMinute', 1_000)
    expect(allowanceOf(rule, {}, NOW, 5_000)).toMatchObject({ left: 1_000, returnsAt: NOW })
  })

  it('never admits more than it allows in any minute, whoever claims when', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 20 * SECOND }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(gaps, between => {
        const admitted: number[] = []
        let at = NOW
        for (const gap of between) {
          at += gap
          const counters = after(
            'requestsPerMinute',
            admitted.map(claimed => [claimed, 1] as const),
          )
          if ((allowanceOf(ruleOf('requestsPerMinute', 5), counters, at)?.left ?? 0) >= 1) admitted.push(at)
        }
        const inOneMinute = admitted.map(
          from => admitted.filter(other => other >= from && other < from + MINUTE).length,
        )
        expect(Math.max(...inOneMinute)).toBeLessThanOrEqual(5)
      }),
      { numRuns: 100 },
    )
  })
})

describe('a declared limit of a day', () => {
  const claims = after('requestsPerDay', [[NOW, 50]])

  it('comes back at the hour at which the provider begins its day', () => {
    const rule = ruleOf('requestsPerDay', 50, 8)
    expect(allowanceOf(rule, claims, NOW + HOUR)).toEqual({
      limit: 50,
      left: 0,
      returnsAt: DAY_AT + 32 * HOUR,
    })
    expect(allowanceOf(rule, claims, DAY_AT + 32 * HOUR)).toMatchObject({ left: 50 })
  })

  it('counts any 24 hours where nobody knows that hour', () => {
    const rule = ruleOf('requestsPerDay', 50)
    expect(allowanceOf(rule, claims, DAY_AT + 33 * HOUR)).toMatchObject({ left: 0 })
    expect(allowanceOf(rule, claims, NOW + 25 * HOUR)).toMatchObject({ left: 50 })
  })
})

describe('what a provider has said', () => {
  const three = after('requestsPerMinute', [[NOW + SECOND, 3]])

  it('holds until it ends, less what was claimed since', () => {
    expect(allowanceOf(TOLD, withTold(three, {}), NOW + 2 * SECOND)).toMatchObject({ limit: 20, left: 2 })
    expect(allowanceOf(TOLD, withTold(three, { total: 2 }), NOW + 2 * SECOND)).toMatchObject({ left: 4 })
  })

  it('ends with its window', () => {
    const spent = withTold(three, { kind: 'window', remaining: 0 })
    expect(allowanceOf(TOLD, spent, NOW + 2 * SECOND)).toMatchObject({ returnsAt: NOW + 30 * SECOND })
    expect(allowanceOf(TOLD, spent, NOW + 31 * SECOND)).toMatchObject({ left: 20 })
  })

  it('comes back bit by bit where it is a bucket', () => {
    const spent = withTold({}, { kind: 'bucket', remaining: 0, endsAt: NOW + MINUTE })
    expect(allowanceOf(TOLD, spent, NOW)).toMatchObject({ left: 0, returnsAt: NOW + 3 * SECOND })
    expect(allowanceOf(TOLD, spent, NOW + 30 * SECOND)).toMatchObject({ left: 10 })
  })

  it('is stricter than the configuration, or less strict: the lower limit counts', () => {
    const left = (declared: number): number =>
      allowanceOf(ruleOf('requestsPerMinute', declared), withTold({}, { remaining: 15 }), NOW)?.left ?? -1
    expect([left(50), left(20), left(4)]).toEqual([15, 15, 4])
  })

  it('shows whether it is a window or a bucket', () => {
    const first = toldLimit({ remaining: 10, endsAt: NOW + 30 * SECOND })
    const later = (remaining: number, endsAt: number) =>
      kindBetween(first, toldLimit({ remaining, at: NOW + 4 * SECOND, endsAt }))
    expect(later(9, NOW + 30 * SECOND + 900)).toBe('window')
    expect(later(10, NOW + 33 * SECOND)).toBe('bucket')
    expect(later(10, NOW + 30 * SECOND)).toBe('untold')
  })
})

describe('requests at a time', () => {
  const rule = ruleOf('concurrency', 2)
  test('are free again when their leases end, if nobody gives them back', () => {
    const counters = after('concurrency', [
      [NOW + MINUTE, 1],
      [NOW + MINUTE, 1],
    ])
    expect(allowanceOf(rule, counters, NOW + 50 * SECOND)).toMatchObject({ left: 0 })
    expect(allowanceOf(rule, counters, NOW + 66 * SECOND)).toMatchObject({ left: 2 })
  })
})
