import { expect, test } from 'vitest'
import { describeSkip, secondsUntil } from '../../../lambdas/core/routing/describe-skip.ts'
import type { Skipped } from '../../../lambdas/core/routing/plan.ts'
import { skippedAs } from '../build.ts'

const NOW = 1_000_000

test.each([
  ['null where the instant is not known', null, null],
  ['whole seconds', NOW + 30_000, 30],
  ['rounded up, so that nobody comes back too early', NOW + 29_001, 30],
  ['one for the last moment', NOW + 1, 1],
  ['zero when the instant is now', NOW, 0],
  ['zero when the instant has passed', NOW - 5_000, 0],
])('the seconds until an instant are %s', (_, until, seconds) => {
  expect(secondsUntil(until, NOW)).toBe(seconds)
})

const rows: [string, Skipped, string][] = [
  ['its reason', skippedAs('no_tools'), 'a/one (no_tools)'],
  ['its return', skippedAs('quarantined', { until: NOW + 540_000 }), 'a/one (quarantined, 540 s)'],
  [
    'the cause of its cooldown',
    skippedAs('cooldown', { until: NOW + 30_000, cause: 'rate_limit' }),
    'a/one (cooldown: rate_limit, 30 s)',
  ],
]
test.each(rows)('a skipped endpoint is shown with %s', (_, skipped, expected) => {
  expect(describeSkip(skipped, NOW)).toBe(expected)
})
