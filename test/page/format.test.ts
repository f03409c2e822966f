import { expect, test } from 'vitest'
import { formatCost, formatMoney } from '../../infra/page/browser/format.ts'

test('a request costs on the page what the header says, and a sum is short', () => {
  expect(formatCost(0.000123456)).toBe('$0.000123456')
  expect(formatCost(1.23456)).toBe('$1.23456')
  expect([formatMoney(0.000123456), formatMoney(1.23456), formatMoney(0)]).toEqual([
    '$0.00012',
    '$1.23',
    '$0',
  ])
})
