import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { sampleBeta } from '../../../../lambdas/core/routing/order/sample-beta.ts'
import { seededRandom } from '../../../bench/week/random.ts'

const shapes = fc.double({ min: 1, max: 10_000, noNaN: true })

describe('a sample of the Beta distribution', () => {
  test.each([
    [1, 1],
    [2, 5],
    [95, 5],
    [10, 1],
    [1, 40],
  ])('of %d and %d has its mean and its spread', (alpha, beta) => {
    const random = seededRandom(7)
    const samples = Array.from({ length: 20_000 }, () => sampleBeta(alpha, beta, random))
    const mean = samples.reduce((sum, sample) => sum + sample, 0) / samples.length
    const variance = samples.reduce((sum, sample) => sum + (sample - mean) ** 2, 0) / samples.length
    const total = alpha + beta
    expect(mean).toBeCloseTo(alpha / total, 2)
    expect(variance / ((alpha * beta) / (total ** 2 * (total + 1)))).toBeCloseTo(1, 1)
  })

  it('lies between 0 and 1, and comes again with its seed', () => {
    fc.assert(
      fc.property(shapes, shapes, fc.integer(), (alpha, beta, seed) => {
        const sample = sampleBeta(alpha, beta, seededRandom(seed))
        expect(sample).toBeGreaterThanOrEqual(0)
        expect(sample).toBeLessThanOrEqual(1)
        expect(sampleBeta(alpha, beta, seededRandom(seed))).toBe(sample)
      }),
    )
  })

  test.each([0, 0.5, 1 - 2 ** -53])('ends where chance always says %d', chance => {
    expect(sampleBeta(20, 3, () => chance)).toBeGreaterThan(0)
  })
})
