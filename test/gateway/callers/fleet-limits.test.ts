import { describe, expect, test } from 'vitest'
import { ask } from '../../support/ask.ts'
import { createWorld, startGateway, type TestGateway } from '../../support/start-gateway.ts'
import { chatCompletion } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { as, keysOf } from './named-callers.ts'

const MINUTE = 60_000
const MINUTES = 2
const TABLE_MS = 8
const forever = new AbortController().signal

/** What a caller gets in each minute that sends so much to so many instances, each of which takes one request at a time. */
async function served(
  instances: number,
  allowed: number,
  perSecond: number,
  burst: number,
): Promise<number[]> {
  const world = createWorld()
  const upstream = await startUpstream([{ ...chatCompletion('here'), headersDelayMs: 700 }], {
    clock: world.clock,
  })
  const store: typeof world.store = {
    ...world.store,
    async addUsage(...write) {
      await world.clock.sleep(TABLE_MS, forever)
      return world.store.addUsage(...write)
    },
  }
  const config = {
    providers: { up: { baseUrl: upstream.url, key: false } },
    models: { chat: { tiers: [['up/m']] } },
    clients: { app: { requestsPerMinute: allowed } },
  }
  const gateways: TestGateway[] = []
  for (let index = 0; index < instances; index += 1)
    gateways.push(await startGateway(config, {}, { ...world, store, keys: keysOf('app') }))
  // From the start of a minute.
  world.clock.pass(MINUTE - (world.clock.now() % MINUTE))
  const begin = world.clock.now()
  /** The minute in which each request was sent that was answered. */
  const minutes: number[] = []
  const running: Promise<unknown>[] = []
  const everyMs = (1_000 * burst) / perSecond
  for (let sent = 0; world.clock.now() < begin + MINUTES * MINUTE;) {
    for (let one = 0; one < burst; one += 1, sent += 1) {
      const minute = Math.floor((world.clock.now() - begin) / MINUTE)
      const gateway = gateways[sent % instances]
      const asked = gateway && ask(gateway, {}, as('app'))
      if (asked) running.push(asked.then(({ status }) => status === 200 && minutes.push(minute)))
    }
    await world.clock.sleep(everyMs, forever)
  }
  await Promise.all(running)
  for (const gateway of gateways) await gateway.close()
  await upstream.close()
  return Array.from({ length: MINUTES }, (_, minute) => minutes.filter(served => served === minute).length)
}

describe('a limit of requests a minute, at twice the pace', () => {
  test.each([
    [1, 20, 1, 1],
    [16, 60, 2, 4],
    // As Lambda runs it: as many instances as come at once.
    [16, 20, 2, 16],
    [40, 60, 2, 40],
  ])(
    '%d instances, %d a minute, %d a second, %d at once',
    async (instances, allowed, perSecond, burst) => {
      const counts = await served(instances, allowed, perSecond, burst)
      for (const count of counts) {
        expect(count).toBeGreaterThanOrEqual(0.95 * allowed)
        expect(count).toBeLessThanOrEqual(allowed)
      }
    },
    60_000,
  )
})
