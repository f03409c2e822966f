import { expect, it, test } from 'vitest'
import { endpointsOf } from '../../lambdas/config/endpoints-of.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { resolveGateway } from '../../lambdas/config/resolve-gateway.ts'
import { encodeStateItem } from '../../lambdas/store/item-codec.ts'
import type { FleetStore } from '../../lambdas/store/fleet-store.ts'
import { ask } from '../support/ask.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, createWorld, startGateway } from '../support/start-gateway.ts'
import { endpointItem } from '../store/state-items.ts'
import { endAfterEach } from './instances/end-after-each.ts'

const open = endAfterEach()
const INSTANCES = 32

test.each([0, 50, 200])('none of 32 cold instances is blind with a table that takes %d ms', async ms => {
  const { clock, store } = createWorld()
  const dead = open(
    await startUpstream([errorAnswer(404, { message: 'The model `m` does not exist' })], { clock }),
  )
  const good = open(await startUpstream([chatStream(['here'])], { clock }))
  const configuration = configOf({ dead: dead.url, good: good.url }, [['dead/m'], ['good/m']])
  const [first] = endpointsOf(resolveGateway(parseGatewayConfig(configuration)))
  store.plant(encodeStateItem(endpointItem(first?.id ?? '')))
  const distant: FleetStore = {
    ...store,
    async readState() {
      if (ms > 0) await clock.sleep(ms, new AbortController().signal)
      return store.readState()
    },
  }
  for (let count = 0; count < INSTANCES; count += 1) {
    const gateway = open(await startGateway(configuration, {}, { clock, store: distant }))
    const answer = await ask(gateway)
    expect(answer.headers.get('x-backstop-skipped')).toMatch(/^dead\/m;quarantined;/)
  }
  expect(dead.calls()).toBe(0)
})

it('with the table gone for a minute a process tries each dead endpoint at most twice', async () => {
  const { clock, store } = createWorld()
  const gone = errorAnswer(404, { message: 'The model `m` does not exist' })
  const dead = open(await startUpstream([gone], { clock }))
  const good = open(await startUpstream([chatStream(['here'])], { clock }))
  const tiers = [['dead/one'], ['dead/two'], ['dead/three'], ['good/m']]
  const configuration = configOf({ dead: dead.url, good: good.url }, tiers)
  const gateway = open(await startGateway(configuration, {}, { clock, store }))
  store.fail('refuse')
  for (const endsAt = clock.now() + 60_000; clock.now() < endsAt; clock.pass(1_000)) {
    expect(await ask(gateway)).toMatchObject({ status: 200, content: 'here' })
  }
  for (const model of ['one', 'two', 'three']) expect(dead.calls(model)).toBeLessThanOrEqual(2)
})
