import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { backoffMs } from '../../../lambdas/core/routing/backoff.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'

const { retry_base_ms: BASE_MS, retry_total_wait_ms: TOTAL_MS } = DEFAULT_SETTINGS
const RETRIES = [0, 1, 2, 3]
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

it('doubles from the base', () => {
  expect(RETRIES.map(retry => backoffMs(BASE_MS, retry, 0))).toEqual([200, 400, 800, 1_600])
})

it('adds up to a second of jitter, in whole milliseconds', () => {
  expect(backoffMs(BASE_MS, 0, 0.5)).toBe(700)
  fc.assert(
    fc.property(fc.nat(10_000), fc.nat(9), chance, (base, retry, random) => {
      const wait = backoffMs(base, retry, random)
      expect(wait).toBe(Math.trunc(wait))
      expect(wait - base * 2 ** retry).toBeGreaterThanOrEqual(0)
      expect(wait - base * 2 ** retry).toBeLessThanOrEqual(1_000)
    }),
  )
})

it('sums to at most seven seconds over four attempts, inside the time for waiting', () => {
  fc.assert(
    fc.property(fc.array(chance, { minLength: 4, maxLength: 4 }), randoms => {
      const sum = randoms.reduce((waited, random, retry) => waited + backoffMs(BASE_MS, retry, random), 0)
      expect(sum).toBeLessThanOrEqual(7_000)
      expect(sum).toBeLessThanOrEqual(TOTAL_MS)
    }),
  )
})
