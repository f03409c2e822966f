import { expect, test } from 'vitest'
import { parseAssignments } from '../../../infra/operate/views/parse-assignments.ts'

test.each<[string, string[], Record<string, unknown>]>([
  ['nothing', [], {}],
  ['a number', ['retry_max_attempts=2'], { retry_max_attempts: 2 }],
  [
    'a switch',
    ['direct_models=on', 'endpoint_health_disabled=0'],
    { direct_models: true, endpoint_health_disabled: false },
  ],
  ['a choice', ['content_filter=next'], { content_filter: 'next' }],
  ['the name of the variable', ['BREAKER_OPEN_MS=5000'], { breaker_open_ms: 5_000 }],
  ['a removal', ['retry_max_attempts='], { retry_max_attempts: null }],
  ['the removal of what is no setting but stands there', ['old_name='], { old_name: null }],
])('%s is read', (_title, words, expected) => {
  expect(Object.fromEntries(parseAssignments(words, ['old_name']))).toEqual(expected)
})

test.each([
  ['retry_max_attempts=11', "expected a number from 1 to 10, got '11'"],
  ['retry_max_attempts=two', "expected a number from 1 to 10, got 'two'"],
  ['direct_models=maybe', 'expected true or false'],
  ['content_filter=off', 'expected one of "stop", "next"'],
  ['retry_max_atempts=2', 'Did you mean "retry_max_attempts"?'],
  ['no_such_thing_at_all=', 'no_such_thing_at_all: unknown setting.'],
  ['retry_max_attempts', 'expected name=value'],
  ['retry_max_attempts', 'such as retry_max_attempts=4'],
  ['breaker_open_ms=90s', 'Write breaker_open_ms=90000, which is in milliseconds.'],
  ['breaker_open_ms=60_000', 'Write breaker_open_ms=60000, which is in milliseconds.'],
  ['breaker_failure_rate=40%', 'Write breaker_failure_rate=0.4.'],
  ['content_filter=nxt', 'Did you mean "next"?'],
  ['=2', 'expected name=value'],
])('%s is refused', (word, expected) => {
  expect(() => parseAssignments([word], [])).toThrow(expected)
})

test('every mistake is told, and a name that stands twice is one', () => {
  const words = ['retry_base_ms=1', 'retry_base_ms=2', 'nope=1']
  expect(() => parseAssignments(words, [])).toThrow(
    'Nothing was changed.\n  retry_base_ms: given twice\n  nope: unknown setting',
  )
})
