import { expect, test } from 'vitest'
import { settingLines, settingRows } from '../../../infra/operate/views/setting-list.ts'
import { plain } from '../../../infra/terminal/paint.ts'
import { DEFAULT_SETTINGS, SETTINGS } from '../../../lambdas/core/settings/settings.ts'

const linesFor = (overrides: Record<string, string | number | boolean>, configured = {}): string[] =>
  settingLines(settingRows(overrides, { ...DEFAULT_SETTINGS, ...configured }), plain)

test('every setting is told in two lines of at most 80 columns', () => {
  const lines = linesFor({})
  expect(lines).toHaveLength(2 * Object.keys(SETTINGS).length)
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(80)
})

test.each([
  [{}, {}, 'breaker_open_ms = 60000 ms (60 s)  default'],
  [{}, { breaker_open_ms: 300_000 }, 'breaker_open_ms = 300000 ms (5 min)  configured, in place of 60000'],
  [
    { breaker_open_ms: 2_000 },
    { breaker_open_ms: 300_000 },
    'breaker_open_ms = 2000 ms (2 s)  override of 300000',
  ],
  [{ breaker_open_ms: 1 }, {}, 'breaker_open_ms = 60000 ms (60 s)  default'],
  [{ state_wait_ms: 60 }, {}, 'state_wait_ms = 60 ms  override of 50'],
  [{ content_filter: 'next' }, {}, 'content_filter = next  override of stop'],
])('overrides %j of a configuration %j give: %s', (overrides, configured, expected) => {
  expect(linesFor(overrides, configured)).toContain(expected)
})
