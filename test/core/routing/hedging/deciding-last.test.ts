import { expect, test } from 'vitest'
import type { Settings } from '../../../../lambdas/core/settings/settings.ts'
import { decidingLast } from '../../../../lambdas/core/routing/hedging/deciding-last.ts'
import type { FailedAttempt } from '../../../../lambdas/core/routing/next-step.ts'
import { DEFAULT_SETTINGS } from '../../../../lambdas/core/settings/settings.ts'
import { candidatesOf, failedAttempt, failureOf, progressOf } from '../../build.ts'

const candidates = candidatesOf([['a/one', 'b/one'], ['c/two']], ['k1', 'k2'])

type Judged = Partial<FailedAttempt>
const broken: Judged = {}
const wrongKey: Judged = { failure: failureOf({ class: 'fatal', kind: 'auth', scope: 'key', status: 401 }) }
const filtered: Judged = { failure: failureOf({ class: 'degradable', kind: 'content_filter', status: 400 }) }
const atFault: Judged = { failure: failureOf({ class: 'fatal', kind: 'bad_request', tryNext: false }) }
const adaptable: Judged = {
  failure: failureOf({ class: 'degradable', kind: 'unsupported_param', status: 400 }),
  adaptable: true,
}
const STOP: Partial<Settings> = { content_filter: 'stop' }

test.each<[string, Judged, Judged, Partial<Settings>, 0 | 1]>([
  ['nothing beside the order', broken, broken, {}, 1],
  ['another key of the first', wrongKey, broken, {}, 0],
  ['another key of the second', broken, wrongKey, {}, 1],
  ['another form of the first', adaptable, broken, {}, 0],
  ['a fault of the request', atFault, broken, {}, 0],
  ['a fault of the request, whatever key is left', wrongKey, atFault, {}, 1],
  ['a fault of the request, before a key of the second', atFault, wrongKey, {}, 0],
  ['a content filter that stops the chain', filtered, broken, STOP, 0],
  ['no content filter that leaves the chain', filtered, wrongKey, { content_filter: 'next' }, 1],
])('of two failures side by side decides %s', (_, one, other, settings, decides) => {
  const failures = [
    failedAttempt(0, { key: 'k1', ...one }),
    failedAttempt(1, { key: 'k1', via: 'fail_over', ...other }),
  ]
  const before = progressOf(candidates, [], { settings: { ...DEFAULT_SETTINGS, ...settings } })
  const told = decidingLast(before, failures)
  expect(told.map(({ candidate }) => candidate)).toEqual(decides === 1 ? [0, 1] : [1, 0])
})

test('a key that was tried before the two is no other one', () => {
  const before = progressOf(candidates, [failedAttempt(0, { key: 'k2', ...wrongKey })])
  const failures = [
    failedAttempt(0, { key: 'k1', via: 'rotate', ...wrongKey }),
    failedAttempt(1, { via: 'fail_over' }),
  ]
  expect(decidingLast(before, failures)).toEqual(failures)
})
