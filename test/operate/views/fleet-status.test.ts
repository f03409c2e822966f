import { expect, test } from 'vitest'
import { type FleetStatus, newsOf, statusLines } from '../../../infra/operate/views/fleet-status.ts'
import { plain } from '../../../infra/terminal/paint.ts'
import { DEFAULT_SETTINGS } from '../../../lambdas/core/settings/settings.ts'
import { endpointRow } from '../../support/endpoint-row.ts'

const status = (changes: Partial<FleetStatus> = {}): FleetStatus => ({
  rows: [
    endpointRow(),
    endpointRow({ endpoint: 'openai/a', provider: 'openai', usable: false }),
    endpointRow({ endpoint: 'xai/a', provider: 'xai', usable: false, missing_key: true }),
  ],
  mode: 'normal',
  overrides: {},
  settings: DEFAULT_SETTINGS,
  healthDisabled: false,
  warnings: [],
  ...changes,
})

const lines = (changes: Partial<FleetStatus> = {}): string =>
  statusLines(status(changes), { now: 0, width: 120, paint: plain }).join('\n')

test('the first line counts the providers that have a key', () => {
  expect(lines()).toMatch(/^Mode: normal\. 1 of 2 providers usable\.\n\n {3}endpoint /)
})

test.each<[string, Partial<FleetStatus>, string]>([
  ['degraded', { mode: 'degraded' }, 'Mode: degraded.'],
  ['a warning', { warnings: ['The strategy is ignored.'] }, 'usable.\nThe strategy is ignored.\n\n'],
  ['the kill switch', { healthDisabled: true }, 'endpoint_health_disabled is on'],
  [
    'overrides',
    { overrides: { retry_max_attempts: 2 } },
    '\n\nOverrides in force\n  retry_max_attempts = 2  instead of 4',
  ],
  [
    'an override out of range',
    { overrides: { retry_max_attempts: 99 } },
    'ignored: expected a number from 1 to 10',
  ],
  ['an override of nothing', { overrides: { retry_attempts: 2 } }, 'ignored: unknown setting'],
])('%s is told', (_title, changes, expected) => {
  expect(lines(changes)).toContain(expected)
})

test('counters and the clock are no news, a state is', () => {
  const rows = [endpointRow({ successes: 9, failures: 1 })]
  expect(newsOf(status({ rows }))).toBe(newsOf(status({ rows: [endpointRow()] })))
  expect(newsOf(status({ rows }))).not.toBe(newsOf(status({ rows: [endpointRow({ health: 'suspect' })] })))
  expect(newsOf(status())).not.toBe(newsOf(status({ mode: 'degraded' })))
})
