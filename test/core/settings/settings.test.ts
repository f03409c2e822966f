import { expect, it, test } from 'vitest'
import { acceptsSetting, SETTING_NAMES } from '../../../lambdas/core/settings/setting-values.ts'
import { DEFAULT_SETTINGS, SETTINGS } from '../../../lambdas/core/settings/settings.ts'

test.each(SETTING_NAMES)('%s has a default that it would accept from its owner', name => {
  expect(acceptsSetting(name, DEFAULT_SETTINGS[name])).toBe(true)
  expect(DEFAULT_SETTINGS[name]).toBe(SETTINGS[name].default)
})

test.each(SETTING_NAMES)('%s has a range with room in it, or at least two choices', name => {
  const row = SETTINGS[name]
  const room = 'min' in row ? row.max - row.min : 'choices' in row ? new Set(row.choices).size - 1 : 1
  expect(room).toBeGreaterThan(0)
})

it('the defaults fit each other', () => {
  const settings = DEFAULT_SETTINGS
  expect(settings.retry_patience_ms).toBeLessThanOrEqual(settings.retry_total_wait_ms)
  expect(settings.connect_timeout_ms).toBeLessThan(settings.first_output_timeout_ms)
  expect(settings.first_output_timeout_ms).toBeLessThan(settings.first_byte_deadline_ms)
  expect(settings.answer_total_ms).toBeLessThanOrEqual(settings.stream_total_ms)
  // Every attempt may use its first-output limit without the deadline cutting the last one off.
  expect(settings.retry_max_attempts * settings.first_output_timeout_ms).toBeLessThanOrEqual(
    settings.first_byte_deadline_ms,
  )
})
