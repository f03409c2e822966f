import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createWorld, configOf, startGateway } from '../support/start-gateway.ts'
import type { TableItem } from '../../lambdas/store/item-codec.ts'
import { chatStream } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { endAfterEach } from './instances/end-after-each.ts'

const open = endAfterEach()
const DAY_MS = 86_400_000

/** As the version before breakers of three kinds wrote them. */
function oldItems(ids: { ill: string; suspect: string; well: string }, now: number): readonly TableItem[] {
  const expiresAt = Math.ceil((now + DAY_MS) / 1_000)
  const health = (state: string) => ({
    state,
    since: now - 60_000,
    probe: { dueAt: now - 1, failures: 2 },
    failure: { kind: 'model_not_found', status: 404, message: 'The model does not exist.', at: now - 60_000 },
  })
  const cooldown = { until: now + DAY_MS, step: 3, kind: 'rate_limit', at: now, stated: false, request: 'r1' }
  const state = { pk: 'state', version: 7 }
  return [
    { ...state, sk: `endpoint#${ids.ill}`, kind: 'endpoint', health: health('quarantined'), leaseUntil: 0 },
    {
      ...state,
      sk: `endpoint#${ids.suspect}`,
      kind: 'endpoint',
      health: health('suspect'),
      leaseUntil: 0,
      expiresAt,
    },
    {
      ...state,
      sk: 'breaker#well',
      kind: 'breaker',
      breaker: { state: 'half-open', openedAt: now, trialStartedAt: now, leaseUntil: now + DAY_MS },
      failuresUntil: now + 300_000,
      expiresAt,
    },
    {
      ...state,
      sk: 'breaker#ill',
      kind: 'breaker',
      breaker: { state: 'open', openedAt: now },
      failuresUntil: 0,
      expiresAt,
    },
    ...['provider#well', `model#${ids.well}`, 'key#well#0123abcd', `bench#${ids.well}`].map(scope => ({
      ...state,
      sk: `cooldown#${scope}`,
      kind: 'cooldown',
      cooldown,
      expiresAt,
    })),
    {
      ...state,
      sk: `capability#${ids.well}`,
      kind: 'capability',
      refusals: [{ what: 'tools', until: now + DAY_MS }],
      expiresAt,
    },
    {
      ...state,
      sk: 'settings',
      kind: 'settings',
      overrides: { all_quarantined: 'try', retry_max_attempts: 3 },
    },
    { ...state, sk: 'mode', kind: 'mode', mode: { state: 'normal', fewSince: null } },
  ]
}

it('items of the version before are read or passed over, and go with the first news', async () => {
  const { clock, store } = createWorld()
  const names = ['ill', 'suspect', 'well'] as const
  const upstreams = await Promise.all(
    names.map(async name => open(await startUpstream([chatStream([name])]))),
  )
  const urls = Object.fromEntries(names.map((name, index) => [name, upstreams[index]?.url ?? '']))
  const gateway = open(
    await startGateway(configOf(urls, [['ill/m'], ['suspect/m'], ['well/m']]), {}, { clock, store }),
  )
  type Row = { endpoint: string; id: string; health: string; breaker: string; cooldowns: unknown[] }
  const rows = async (): Promise<Row[]> =>
    ((await (await fetch(`${gateway.url}/v1/endpoints`)).json()) as { data: Row[] }).data
  const ids = Object.fromEntries((await rows()).map(({ endpoint, id }) => [endpoint.split('/')[0], id]))
  const { ill = '', suspect = '', well = '' } = ids
  for (const item of oldItems({ ill, suspect, well }, clock.now())) store.plant(item)
  clock.pass(2_001)

  expect((await ask(gateway)).content).toBe('well')
  const seen = await rows()
  expect(seen.map(({ health }) => health)).toEqual(['quarantined', 'suspect', 'healthy'])
  expect(seen.every(({ breaker, cooldowns }) => breaker === 'closed' && cooldowns.length === 0)).toBe(true)
  expect((await gateway.probe(false)).probes.map(({ outcome }) => outcome)).toEqual(['ok', 'ok'])
  clock.pass(2_001)
  expect((await rows()).map(({ health }) => health)).toEqual(['healthy', 'healthy', 'healthy'])
  expect((await ask(gateway)).content).toBe('ill')
  const events = gateway.lines.map(({ event }) => event)
  expect(events).not.toContain('state-garbage')
  expect(events).not.toContain('state-error')
  expect(events).toContain('override-ignored')
  expect(gateway.handlerErrors).toEqual([])
})
