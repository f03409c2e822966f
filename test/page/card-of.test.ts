import { expect, test } from 'vitest'
import { cardOf } from '../../infra/page/live/card-of.ts'
import { hopRow, modelRow } from '../support/model-row.ts'

const NOW = 1_800_000_000_000
const MINUTE = 60_000
const model = modelRow('solo', [hopRow('limit/solo')])
const row = (at: number) => ({ last_failure: { kind: 'rate_limit', status: 429, message: '', at } })
const traffic = (answered: number, failed: number, more = 0) => ({
  requests: answered + failed + more,
  fallbacks: 0,
  answered,
  failed,
})

test.each([
  ['no request', null, null],
  ['requests that were answered', traffic(3, 0), null],
  ['a failure among many answers', traffic(9, 1), null],
  ['nothing but failures', traffic(0, 3), { failed: 3, whole: 3, last: 'rate limit 429' }],
  ['failures, and clients that left', traffic(0, 2, 5), { failed: 2, whole: 2, last: 'rate limit 429' }],
  ['mostly failures', traffic(2, 3), { failed: 3, whole: 5, last: 'rate limit 429' }],
])('of a model that should answer, %s', (_, told, trouble) => {
  expect(cardOf(model, told, row(NOW - MINUTE), NOW).trouble).toEqual(trouble)
})

test('a failure of another day explains nothing', () => {
  expect(cardOf(model, traffic(0, 1), row(NOW - 90 * MINUTE), NOW).trouble).toMatchObject({ last: null })
  expect(cardOf(model, traffic(0, 1), undefined, NOW).trouble).toMatchObject({ last: null })
})

test('a model that cannot answer says so already', () => {
  const down = modelRow('solo', [hopRow('limit/solo', { reason: 'quarantined' })])
  expect(cardOf(down, traffic(0, 3), row(NOW), NOW)).toMatchObject({ answers: false, trouble: null })
})
