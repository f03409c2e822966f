import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { effectiveSettings } from '../../../lambdas/core/settings/effective-settings.ts'
import { acceptsSetting, SETTING_NAMES } from '../../../lambdas/core/settings/setting-values.ts'
import { DEFAULT_SETTINGS, SETTINGS } from '../../../lambdas/core/settings/settings.ts'

describe('an override', () => {
  it('lies over what was configured, and changes nothing else', () => {
    const configured = { ...DEFAULT_SETTINGS, retry_max_attempts: 2, retry_base_ms: 1 }
    const { settings, ignored } = effectiveSettings(configured, { retry_max_attempts: 7 })
    expect(settings).toEqual({ ...configured, retry_max_attempts: 7 })
    expect(ignored).toEqual([])
  })

  const bad: [string, string, unknown][] = [
    ['of an unknown name', 'retry_max', 3],
    ['of a name that every object has', 'constructor', 3],
    ['out of range', 'retry_max_attempts', 11],
    ['of another type', 'retry_max_attempts', '3'],
    ['that is no number', 'retry_base_ms', Number.NaN],
    ['that is no choice', 'content_filter', 'sometimes'],
    ['that is no switch', 'endpoint_health_disabled', 1],
    ['that is nothing', 'endpoint_health_disabled', null],
  ]
  test.each(bad)('%s is ignored and named', (_, name, value) => {
    const overrides = { [name]: value, idle_timeout_ms: 999 }
    const { settings, ignored } = effectiveSettings(DEFAULT_SETTINGS, overrides)
    expect(settings).toEqual({ ...DEFAULT_SETTINGS, idle_timeout_ms: 999 })
    expect(ignored).toEqual([name])
  })

  it('turns the health machine off at run time', () => {
    const { settings } = effectiveSettings(DEFAULT_SETTINGS, { endpoint_health_disabled: true })
    expect(settings.endpoint_health_disabled).toBe(true)
  })
})

it('whatever the table holds, every setting keeps a value that it accepts', () => {
  const overrides = fc.dictionary(
    fc.oneof(fc.constantFrom(...SETTING_NAMES, '__proto__', 'toString'), fc.string()),
    fc.oneof(fc.anything(), fc.integer(), fc.boolean(), fc.constantFrom('stop', 'next', 'try')),
  )
  fc.assert(
    fc.property(overrides, values => {
      const { settings, ignored } = effectiveSettings(DEFAULT_SETTINGS, values)
      expect(Object.keys(settings)).toEqual(Object.keys(SETTINGS))
      for (const name of SETTING_NAMES) {
        expect(acceptsSetting(name, settings[name])).toBe(true)
        const taken = Object.hasOwn(values, name) && !ignored.includes(name)
        expect(settings[name]).toBe(taken ? values[name] : DEFAULT_SETTINGS[name])
      }
    }),
  )
})
