import { describe, expect, it } from 'vitest'
import { composeGateway } from '../../lambdas/compose/gateway.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { readEnvironment } from '../../lambdas/config/environment.ts'
import { environmentKeys } from '../../lambdas/keys/environment-keys.ts'
import { configOf, createWorld } from '../support/start-gateway.ts'

const config = parseGatewayConfig(configOf({ local: 'http://127.0.0.1:9/v1' }, [['local/m']]))

/** A gateway that has just been loaded, whose keys are ready when `keysReady` resolves. */
function loaded(keysReady: () => Promise<boolean>) {
  const { clock, store } = createWorld()
  const environment = readEnvironment([], {})
  const keys = { ...environmentKeys({ ...environment, signed: [] }), ready: keysReady }
  const gateway = composeGateway({ config, environment, keys, store, clock, log: () => undefined })
  return { gateway, clock, store }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
}

describe('what the init phase waits for', () => {
  it('is the keys and the state, and none of the counters, which no first plan waits for', async () => {
    let areReady = false
    const keysReady = Promise.withResolvers<boolean>()
    const { gateway, store } = loaded(() => keysReady.promise)
    const begun = gateway.begin().then(() => (areReady = true))
    await turns()
    expect(areReady).toBe(false)
    keysReady.resolve(true)
    await begun
    expect(store.calls('readState')).toBe(1)
    expect(store.calls('readStats')).toBe(0)
  })

  it('is over after a second, whatever hangs', async () => {
    let isOver = false
    const { gateway, clock } = loaded(() => new Promise(() => undefined))
    const begun = gateway.begin().then(() => (isOver = true))
    await turns()
    clock.pass(999)
    await turns()
    expect(isOver).toBe(false)
    clock.pass(1)
    await begun
  })

  it('is over too where the table is out of reach', async () => {
    const { gateway, store } = loaded(() => Promise.resolve(false))
    store.fail('refuse')
    await expect(gateway.begin()).resolves.toBeUndefined()
  })
})
