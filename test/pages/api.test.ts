import { expect, test } from 'vitest'
import { MAX_BODY_BYTES, METRICS, REQUEST_HEADERS, RESPONSE_HEADERS } from '../../lambdas/contract.ts'
import { SKIP_REASONS } from '../../lambdas/core/routing/plan.ts'
import { ERROR_CODES } from '../../lambdas/core/routing/error-codes.ts'
import {
  MOST_CHOICES,
  MOST_FIELDS,
  MOST_NAMES,
  MOST_PIECES,
  MOST_TOOL_CALLS,
  MOST_VALUES,
} from '../../lambdas/core/answers/answer-limits.ts'
import { MOST_COMMAS } from '../../lambdas/core/answers/json-nesting.ts'
import { MAX_NESTING } from '../../lambdas/core/answers/repair/event-pieces.ts'
import { MAX_ERROR_BYTES } from '../../lambdas/engine/request/attempt.ts'
import { MOST_CHARACTERS } from '../../lambdas/engine/request/answer/held-answer.ts'
import { MAX_DEPTH, MAX_VALUES } from '../../lambdas/http/decode-body.ts'
import { MAX_EVENT_BYTES } from '../../lambdas/sse/event-reader.ts'
import { firstCells, readPage } from './page.ts'

const page = readPage('lambdas/API.md')

test('every error code has a row with its status and type', () => {
  const expected = Object.entries(ERROR_CODES).map(([code, { status, type }]) => [code, `${status}`, type])
  expect(page.rows('## Errors').map(cells => cells.slice(0, 3))).toEqual(expected)
})

test('every limit has a row with its value', () => {
  const MB = 1024 * 1024
  const values = {
    body: `${MAX_BODY_BYTES / MB} MB`,
    'body depth': MAX_DEPTH,
    'body values': MAX_VALUES,
    entries: MOST_COMMAS,
    event: `${MAX_EVENT_BYTES / MB} MB`,
    'held answer': `${MOST_CHARACTERS / MB} MB`,
    error: `${MAX_ERROR_BYTES / 1024} KB`,
    depth: MAX_NESTING,
    choices: MOST_CHOICES,
    'tool calls': MOST_TOOL_CALLS,
    fields: MOST_FIELDS,
    names: MOST_NAMES,
    values: MOST_VALUES,
    documents: MOST_PIECES,
  }
  const expected = Object.entries(values).map(([name, value]) => [name, value.toLocaleString('en-US')])
  expect(page.rows('## Limits').map(cells => cells.slice(0, 2))).toEqual(expected)
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
  expect(new Set(reasons.match(/\b[a-z]+(?:_[a-z]+)+\b|\bquarantined\b|\bcooldown\b|\bquota\b/g))).toEqual(
    new Set(SKIP_REASONS),
  )
})
