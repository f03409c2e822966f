import { expect, test } from 'vitest'
import { METRICS, REQUEST_HEADERS, RESPONSE_HEADERS } from '../../lambdas/contract.ts'
import { SKIP_REASONS } from '../../lambdas/core/routing/plan.ts'
import { ERROR_CODES } from '../../lambdas/core/routing/error-codes.ts'
import { firstCells, readPage } from './page.ts'

const page = readPage('lambdas/API.md')

test('every error code has a row with its status and type', () => {
  const expected = Object.entries(ERROR_CODES).map(([code, { status, type }]) => [code, `${status}`, type])
  expect(page.rows('## Errors').map(cells => cells.slice(0, 3))).toEqual(expected)
})

test('every header has a row, and no row is about a header that does not exist', () => {
  const headers = [...Object.values(RESPONSE_HEADERS), ...Object.values(REQUEST_HEADERS)]
  expect(new Set(firstCells(page.rows('## Headers')))).toEqual(new Set(headers))
})

test('every metric has a row with its unit and dimensions', () => {
  const expected = Object.entries(METRICS).map(([name, { unit, dimensions }]) => {
    const sets = dimensions.map(set => (set.length === 0 ? 'none' : set.join(' × ')))
    return [name, unit, sets.join('; ')]
  })
  expect(page.rows('## Metrics').map(cells => cells.slice(0, 3))).toEqual(expected)
})

test('every reason for which an endpoint is skipped is named, and no other', () => {
  const cells =
    page
      .rows('## Headers')
      .find(([name]) => name === 'x-backstop-skipped')
      ?.join(' ') ?? ''
  const [, reasons = ''] = cells.split('Reasons: ')
  expect(new Set(reasons.match(/\b[a-z]+(?:_[a-z]+)+\b|\bquarantined\b|\bcooldown\b/g))).toEqual(
    new Set(SKIP_REASONS),
  )
})
