import { expect, test } from 'vitest'
import { formatSpan } from '../../lambdas/core/format-span.ts'

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]

test.each([
  [-5 * SECOND, '0 s'],
  [400, '0 s'],
  [59.4 * SECOND, '59 s'],
  [90 * SECOND, '90 s'],
  [2 * MINUTE, '2 min'],
  [3 * MINUTE + 10 * SECOND, '3 min'],
  [100 * MINUTE, '100 min'],
  [2 * HOUR, '2 h'],
  [47 * HOUR, '47 h'],
  [50 * HOUR, '2 d'],
])('%i ms are %s', (ms, expected) => {
  expect(formatSpan(ms)).toBe(expected)
})
