import { expect, it } from 'vitest'
import { endpointsOf } from '../../../lambdas/config/endpoints-of.ts'
import { parseGatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { resolveGateway } from '../../../lambdas/config/resolve-gateway.ts'
import type { Mode } from '../../../lambdas/core/health/mode.ts'
import { judgeMode } from '../../../lambdas/engine/memory/judge-mode.ts'
import { createMemoryTools } from '../../../lambdas/engine/memory/memory-tools.ts'
import { createFakeClock } from '../../support/clocks/fake-clock.ts'
import { barItem } from '../../store/state-items.ts'
import { createMemoryStore } from '../../support/tables/memory-store.ts'
import { configOf } from '../../support/start-gateway.ts'

const URLS = { one: 'http://127.0.0.1:1/v1', two: 'http://127.0.0.1:2/v1', three: 'http://127.0.0.1:3/v1' }

/** Three passes over a fleet in this mode, of which so many providers rest. */
async function eventsAfter(mode: Mode, resting: readonly string[]): Promise<unknown[]> {
  const gateway = resolveGateway(parseGatewayConfig(configOf(URLS, [['one/m'], ['two/m'], ['three/m']])))
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const lines: object[] = []
  const log = (line: object): void => void lines.push(line)
  const { settings } = gateway
  const endpoints = endpointsOf(gateway)
  const tools = createMemoryTools({
    store,
    clock,
    endpoints,
    keys: () => new Map(),
    settings,
    log,
  })
  await store.putStateItem({ kind: 'mode', key: 'mode', version: 1, expiresAt: null, mode }, null)
  for (const provider of resting) {
    await store.putStateItem(barItem(`limit#provider#${provider}`, clock.now() + 60_000, 'overloaded'), null)
  }
  await tools.view.current(1_000)
  for (const _ of [1, 2, 3]) await judgeMode(tools)
  return lines.map(line => ('event' in line ? line.event : null))
}

it('says on every pass that the fleet is degraded, because an alarm forgets a transition', async () => {
  const degraded: Mode = { state: 'degraded', since: 0, enoughSince: null }
  expect(await eventsAfter(degraded, ['one', 'two'])).toEqual(['degraded', 'degraded', 'degraded'])
})

it('says once that it is degraded no longer', async () => {
  const recovered: Mode = { state: 'degraded', since: 0, enoughSince: 1 }
  expect(await eventsAfter(recovered, [])).toEqual(['mode-transition'])
})

it('says nothing of a fleet that is well', async () => {
  expect(await eventsAfter({ state: 'normal', fewSince: null }, ['one'])).toEqual([])
})
