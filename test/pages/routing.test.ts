import { expect, test } from 'vitest'
import { FAILURE_KINDS, KINDS } from '../../lambdas/core/failures/kinds.ts'
import { STRATEGIES, STRATEGY_NAMES } from '../../lambdas/core/order/strategies.ts'
import { readPage } from './page.ts'

test('every strategy has a row with its weights', () => {
  const expected = STRATEGY_NAMES.map(name => {
    const { success, firstOutput, output, price, headroom } = STRATEGIES[name] ?? {}
    return [name, ...[success, firstOutput, output, price, headroom].map(weight => String(weight ?? ''))]
  })
  expect(readPage('lambdas/ROUTING.md').rows('## Order of replicas')).toEqual(expected)
})

test('every kind of failure has a row with its usual class', () => {
  const stated = readPage('lambdas/ROUTING.md')
    .rows('## Failures')
    .map(([kind, usualClass]) => [kind, usualClass])
  const expected = FAILURE_KINDS.map(kind => [kind, KINDS[kind].class])
  expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(expected))
  expect(stated).toHaveLength(expected.length)
})
