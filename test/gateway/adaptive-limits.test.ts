import { describe, expect, it } from 'vitest'
import { endAfterEach } from '../fleet/instances/end-after-each.ts'
import { ask } from '../support/ask.ts'
import { configOf, createWorld, startGateway, type TestGateway } from '../support/start-gateway.ts'
import { chatStream } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'

const open = endAfterEach()
const MINUTE = 60_000

/** An endpoint whose first output takes as long as the test says, and one behind it that answers at once. */
async function startFleet(alias: object = {}) {
  const world = createWorld()
  const { clock } = world
  const now: { firstMs: number | null } = { firstMs: 1_000 }
  const slow = open(
    await startUpstream(
      () =>
        now.firstMs === null
          ? { fault: 'no-response' }
          : { ...chatStream(['ok']), firstChunkDelayMs: now.firstMs },
      { clock },
    ),
  )
  const other = open(await startUpstream(() => chatStream(['ok']), { clock }))
  const { providers, models } = configOf({ a: slow.url, b: other.url }, [['a/m'], ['b/m']])
  const config = { providers, models: { chat: { ...models.chat, ...alias } } }
  const instance = async (): Promise<TestGateway> => open(await startGateway(config, {}, world))

  /** The attempts of one request, with how long each took until its output or its end. */
  async function request(gateway: TestGateway): Promise<readonly string[]> {
    await ask(gateway, { stream: true })
    await gateway.settled()
    const attempts = gateway.completed.at(-1)?.attempts ?? []
    return attempts.map(({ endpoint, outcome, durationMs }) => `${endpoint} ${outcome} ${durationMs}`)
  }

  async function learn(gateway: TestGateway, firstMs: number, answers = 60): Promise<void> {
    now.firstMs = firstMs
    for (let answer = 0; answer < answers; answer += 1) {
      await request(gateway)
      clock.pass(10_000)
    }
  }
  return { ...world, now, instance, request, learn }
}

describe('the limit of a first output', () => {
  it('is the usual one until enough is known', async () => {
    const { now, instance, request, learn } = await startFleet()
    const gateway = await instance()
    await learn(gateway, 300, 40)
    now.firstMs = null
    expect((await request(gateway))[0]).toBe('a/m timeout 10000')
  })

  it('leaves a fast endpoint that is dead after two seconds, in every instance', async () => {
    const { clock, now, instance, request, learn } = await startFleet()
    const gateway = await instance()
    await learn(gateway, 300)
    now.firstMs = null
    expect(await request(gateway)).toEqual(['a/m timeout 2000', 'b/m ok 0'])
    // Another instance knows it from the table, as soon as it has read the counters.
    const other = await instance()
    await request(other)
    clock.pass(1_000)
    expect((await request(other))[0]).toBe('a/m timeout 4000')
  })

  it('does not cut an endpoint that thinks for longer than the usual limit', async () => {
    const { now, instance, request, learn } = await startFleet()
    const gateway = await instance()
    await learn(gateway, 7_000)
    now.firstMs = 12_500
    expect(await request(gateway)).toEqual(['a/m ok 12500'])
  })

  it('gives an endpoint more again that has become slower, and learns that it has', async () => {
    const { clock, now, instance, request, learn } = await startFleet()
    const gateway = await instance()
    await learn(gateway, 1_000)
    now.firstMs = 8_000
    const outcomes: string[] = []
    for (let count = 0; count < 12; count += 1) {
      outcomes.push((await request(gateway))[0]?.replace(/\d+$/, '') ?? '')
      clock.pass(20_000)
    }
    const cuts = outcomes.filter(outcome => outcome === 'a/m timeout ').length
    expect(cuts).toBeLessThanOrEqual(3)
    expect(outcomes.slice(cuts)).toEqual(outcomes.slice(cuts).map(() => 'a/m ok '))
    // What was learnt is the fleet's: another instance, which has cut nothing, does not begin to.
    clock.pass(MINUTE)
    const other = await instance()
    await request(other)
    await other.settled()
    expect((await request(other))[0]).toBe('a/m ok 8000')
  })

  it('is the declared one where one was declared', async () => {
    const { now, instance, request, learn } = await startFleet({ firstOutputTimeoutMs: 6_000 })
    const gateway = await instance()
    await learn(gateway, 300)
    now.firstMs = null
    expect((await request(gateway))[0]).toBe('a/m timeout 6000')
  })
})
