import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeTally, type ModelTally } from '../../../lambdas/core/health/provider-tally.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'

const model = (successes: number, failures: number, more: Partial<ModelTally> = {}): ModelTally => ({
  successes,
  failures,
  hostFailures: 0,
  recentSuccesses: successes,
  ...more,
})
const judge = (
  models: Record<string, ModelTally>,
  configured = Math.max(2, Object.keys(models).length),
): string => judgeTally(new Map(Object.entries(models)), configured, DEFAULT_SETTINGS).kind

const rows: [string, Record<string, ModelTally>, string, number?][] = [
  ['nothing', {}, 'fine'],
  ['four failures', { a: model(0, 4) }, 'fine'],
  ['half of the samples', { a: model(5, 5), b: model(1, 1) }, 'fine'],
  ['the only model of the provider', { a: model(2, 3) }, 'provider', 1],
  ['two models that fail more often than not', { a: model(0, 3), b: model(1, 2) }, 'provider'],
  ['one sick model, its siblings silent', { a: model(0, 9) }, 'model'],
  ['one sick model, and a sibling that failed once', { a: model(0, 20), b: model(9, 1) }, 'model'],
  ['a host that serves nobody', { a: model(0, 5, { hostFailures: 5 }) }, 'provider'],
  [
    'a page of its edge for one model, while a sibling is served',
    { a: model(0, 9, { hostFailures: 9 }), b: model(3, 0) },
    'model',
  ],
  [
    'a host that has gone, whose sibling was served earlier',
    { a: model(0, 9, { hostFailures: 9 }), b: model(3, 0, { recentSuccesses: 0 }) },
    'provider',
  ],
]
test.each(rows)('%s', (_, models, verdict, configured) => expect(judge(models, configured)).toBe(verdict))

test('siblings that answer are never barred for one model, however often it fails', () => {
  const well = fc.record({ successes: fc.integer({ min: 1, max: 50 }), failed: fc.nat(10) })
  fc.assert(
    fc.property(
      fc.array(well, { minLength: 1, maxLength: 5 }),
      fc.nat(200),
      fc.nat(200),
      (siblings, failures, host) => {
        const models = new Map([
          ['sick', model(0, failures, { hostFailures: Math.min(failures, host) })],
          ...siblings.map(
            ({ successes, failed }, index) =>
              [`well${index}`, model(successes, Math.min(failed, successes))] as const,
          ),
        ])
        expect(judgeTally(models, models.size, DEFAULT_SETTINGS).kind).not.toBe('provider')
      },
    ),
  )
})
