import { callsAbout } from '../../../infra/operate/fleet/command-call.ts'
import { endpointItem } from '../../store/state-items.ts'
import { expect, test } from 'vitest'
import { plain } from '../../../infra/terminal/paint.ts'
import { formatProbe, whyNoProbe } from '../../../infra/operate/views/probe-lines.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../../lambdas/core/settings/settings.ts'
import type { ProbeResult } from '../../../lambdas/engine/probes/probe-endpoint.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import type { StateItem } from '../../../lambdas/store/state-item.ts'
import { endpointNamed } from '../../core/build.ts'

const NOW = 1_800_000_000_000
const LLAMA = endpointNamed('groq/llama')

const result: ProbeResult = {
  endpoint: 'groq/llama',
  id: 'groq/llama',
  provider: 'groq',
  outcome: 'ok',
  message: null,
  tokens: 1,
  durationMs: 311.6,
}

test('a probe is one line', () => {
  expect(formatProbe(result, plain)).toBe('groq/llama  ok  312 ms')
  const failed = { ...result, outcome: 'model_not_found', message: 'No\n\u001B[2Jsuch model.' } as const
  expect(formatProbe(failed, plain)).toBe('groq/llama  model_not_found  312 ms  No [2Jsuch model.')
})

/** Why nothing was probed, where the one endpoint is due at that time; null = healthy. */
function why(
  dueAt: number | null,
  settings: Partial<Settings> = {},
  named = false,
  more: object = {},
): string {
  const { health: ill } = endpointItem(LLAMA.id)
  const health = { ...ill, state: 'suspect', probe: { ...ill.probe, dueAt: dueAt ?? 0 } } as const
  const key = `endpoint#${LLAMA.id}` as const
  const item: StateItem = { kind: 'endpoint', key, version: 1, expiresAt: null, health, leaseUntil: 0 }
  const items = new Map(dueAt === null ? [] : [[key, item]])
  const tools = {
    view: { known: () => items },
    settings: () => ({ ...DEFAULT_SETTINGS, ...settings }),
    endpoints: [{ ...LLAMA, ...more }],
    clock: { ...systemClock, now: () => NOW },
  }
  return whyNoProbe(tools, named ? LLAMA : null, callsAbout({ stack: 'Prod' }))
}

test.each([
  ['all are healthy', why(null), 'every endpoint is healthy'],
  ['none is due', why(NOW + 90_000), 'the next one is in 90 s'],
  ['someone else is at it', why(NOW), 'are being probed already'],
  ['probes are off', why(NOW, { endpoint_probes_disabled: true }), 'endpoint_probes_disabled is on'],
  ['health is off', why(NOW, { endpoint_health_disabled: true }), 'endpoint_health_disabled is on'],
  [
    'no probe is wanted',
    why(NOW, {}, false, { probe: false }),
    'has probe: false, or was quarantined by hand. npm run probe -- groq/llama --stack Prod probes',
  ],
  ['the one named is leased', why(NOW, {}, true), 'another probe of it is running'],
])('nothing was probed because %s', (_title, told, expected) => {
  expect(told).toContain(expected)
})
