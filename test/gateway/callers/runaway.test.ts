import { expect, it, test } from 'vitest'
import { chatStream, tokens } from '../../support/upstreams/chat-bodies.ts'
import { createWorld } from '../../support/start-gateway.ts'
import { startLimited } from './start-limited.ts'

const SECONDS = 20
const forever = new AbortController().signal

/** How long another caller waits, second by second, while one sends so many requests in each. */
async function waitsBeside(
  runaway: number,
  slowTable: boolean,
): Promise<{ waits: number[]; called: number }> {
  const world = createWorld()
  const clients = {
    app: { requestsPerMinute: 30, tokensPerMinute: 5_000, concurrency: 3 },
    other: { requestsPerMinute: 1_000 },
  }
  const upstream = [{ ...chatStream(tokens(3)), headersDelayMs: 200, gapMs: 50 }]
  await using gateway = await startLimited(clients, upstream, world)
  const running: Promise<unknown>[] = []
  await gateway.ask({}, 'other')
  if (slowTable) world.store.fail('slow')
  for (let second = 0; second < SECONDS; second += 1) {
    for (let sent = 0; sent < runaway; sent += 1) running.push(gateway.ask())
    running.push(gateway.ask({}, 'other'))
    await world.clock.sleep(1_000, forever)
  }
  await Promise.all(running)
  await gateway.gateway.settled()
  const { completed } = gateway.gateway
  return {
    waits: completed.flatMap(({ caller, overheadMs }) => (caller === 'other' ? [overheadMs] : [])),
    called: completed.filter(({ caller }) => caller === 'app').length,
  }
}

test.each([false, true])(
  'a caller at its limit never delays another, table slow: %s',
  async slowTable => {
    const alone = await waitsBeside(0, slowTable)
    const beside = await waitsBeside(40, slowTable)
    expect(alone.waits).toHaveLength(SECONDS + 1)
    expect(beside.waits.toSorted((a, b) => a - b)).toEqual(alone.waits.toSorted((a, b) => a - b))
    expect(beside.called).toBeGreaterThan(0)
    expect(beside.called).toBeLessThanOrEqual(30)
  },
  60_000,
)

it('a caller at its limit writes little: a refusal is remembered for a second', async () => {
  await using world = await startLimited({ app: { requestsPerMinute: 10 } })
  for (let sent = 0; sent < 10; sent += 1) await world.ask()
  await world.gateway.settled()
  const before = world.store.calls('addUsage')
  for (let sent = 0; sent < 200; sent += 1) {
    expect((await world.ask()).status).toBe(429)
    world.clock.pass(50)
  }
  await world.gateway.settled()
  expect(world.store.calls('addUsage') - before).toBeLessThanOrEqual(2 * 10)
})
