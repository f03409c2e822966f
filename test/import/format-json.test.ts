import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatJson } from '../../infra/import/format-json.ts'
import type { Json } from '../../lambdas/core/json.ts'

test('it is the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect(JSON.parse(formatJson(value as Json))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('what fits on a line is on one', () => {
  const tier = ['groq/a', 'xai/b']
  expect(formatJson({ tiers: [tier], none: [], empty: {} })).toBe(
    '{ "tiers": [["groq/a", "xai/b"]], "none": [], "empty": {} }',
  )
  expect(formatJson({ tiers: Array.from({ length: 6 }, () => tier) }).split('\n')).toHaveLength(10)
})
