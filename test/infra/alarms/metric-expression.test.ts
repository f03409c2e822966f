import { expect, test } from 'vitest'
import { evaluateExpression } from './metric-expression.ts'

const VALUES = { a: 3, b: 4, none: null }

test.each<[string, number | null]>([
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['10 - 4 - 3', 3],
  ['a / b', 0.75],
  ['a > 2 AND b < 4', 0],
  ['a > 2 AND b < 4 OR 1 == 1', 1],
  ['IF(a >= 3, 100 * a / b, 0)', 75],
  ['IF(a < 3, 1, 0)', 0],
  ['none + 1', null],
  ['FILL(none, 0) + a', 3],
  ['FILL(a, 0)', 3],
  ['a / FILL(none, 0)', null],
  ['IF(FILL(none, 0) >= 1 OR b != 4, 1, 0)', 0],
])('%s is %s', (text, value) => {
  expect(evaluateExpression(text, VALUES)).toBe(value)
})

test.each(['SEARCH("x")', 'a +', 'RATE(a)', 'a b', 'unknown > 1'])('refuses %s', text => {
  expect(() => evaluateExpression(text, VALUES)).toThrow(/.+/)
})
