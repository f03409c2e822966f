import { expect, test } from 'vitest'
import { FAILURE_KINDS, KINDS } from '../../lambdas/core/failures/kinds.ts'
import { readPage } from './page.ts'

test('every kind of failure has a row with its usual class', () => {
  const stated = readPage('lambdas/ROUTING.md')
    .rows('## Failures')
    .map(([kind, usualClass]) => [kind, usualClass])
  const expected = FAILURE_KINDS.map(kind => [kind, KINDS[kind].class])
  expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(expected))
  expect(stated).toHaveLength(expected.length)
})
