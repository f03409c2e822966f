import { describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { createMemoryStore, type Misbehaviour } from '../support/tables/memory-store.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, startGateway } from '../support/start-gateway.ts'
import { createVirtualClock } from '../support/clocks/virtual-clock.ts'
import { encodeStateItem } from '../../lambdas/store/item-codec.ts'
import { endpointNamed, failureOf } from '../core/build.ts'
import { endpointItem } from '../store/state-items.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance } from './instances/engine-instance.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'

const open = endAfterEach()
/** Longer than a look is fresh, and than an instance believes its own writes before the table's. */
const NEWS_MS = 2_001

async function startStory() {
  const clock = createVirtualClock()
  const store = createMemoryStore(clock, { slowMs: 2_000 })
  const dead = open(await startUpstream([errorAnswer(404, { message: 'The model `m` does not exist' })]))
  const good = open(await startUpstream([chatStream(['here'])]))
  const urls = { dead: dead.url, good: good.url }
  const gateway = open(await startGateway(configOf(urls, [['dead/m'], ['good/m']]), {}, { clock, store }))
  const attempts = async (): Promise<string | null> => {
    const answer = await ask(gateway)
    expect(answer).toMatchObject({ status: 200, content: 'here' })
    return answer.headers.get('x-backstop-attempts')
  }
  const count = (event: string): number =>
    gateway.lines.filter(line => 'event' in line && line.event === event).length
  return { clock, store, gateway, attempts, count }
}

describe('while the table', () => {
  it.each<[string, Misbehaviour]>([
    ['refuses', 'refuse'],
    ['throttles', 'throttle'],
    ['needs two seconds', 'slow'],
  ])('%s, requests go on and it is logged, and memory returns with the table', async (_, mode) => {
    const { clock, store, gateway, attempts, count } = await startStory()
    store.fail(mode)
    expect([await attempts(), await attempts(), await attempts()]).toEqual(['2', '2', '1'])
    await expect.poll(() => count('state-error')).toBeGreaterThan(0)
    expect(store.items()).toEqual([])
    store.fail(null)
    // For so long an instance obeys what it alone has seen.
    clock.pass(60_001)
    await expect.poll(attempts).toBe('1')
    await expect.poll(() => store.items()).toMatchObject([{ health: { state: 'suspect' } }])
    expect(gateway.handlerErrors).toEqual([])
  })

  it('returns garbage, every endpoint is as good as any, and what made sense is read again later', async () => {
    const { clock, store, gateway, attempts, count } = await startStory()
    await attempts()
    await attempts()
    await expect.poll(attempts).toBe('1')
    store.fail('garbage')
    clock.pass(NEWS_MS)
    expect(await attempts()).toBe('2')
    expect(count('state-garbage')).toBeGreaterThan(0)
    store.fail(null)
    clock.pass(NEWS_MS)
    expect(await attempts()).toBe('1')
    expect(gateway.handlerErrors).toEqual([])
  })
})

it('a request waits once for a table that does not answer, and no longer than it may', async () => {
  const clock = createVirtualClock()
  const store = createMemoryStore(clock, { slowMs: 2_000 })
  let calledAt = 0
  const good = open(
    await startUpstream(() => {
      calledAt = clock.now()
      return chatStream(['here'])
    }),
  )
  const config = configOf({ good: good.url }, [['good/m']])
  const gateway = open(await startGateway(config, { STATE_WAIT_MS: '600' }, { clock, store }))
  await ask(gateway)
  store.fail('slow')
  // What was read is fresh for a second.
  clock.pass(1_000)
  const askedAt = clock.now()
  expect(await ask(gateway)).toMatchObject({ status: 200, content: 'here' })
  expect(calledAt - askedAt).toBe(600)
})

it('one item that makes no sense hides no other', async () => {
  const { clock, store, attempts, count } = await startStory()
  await attempts()
  await attempts()
  store.plant({ pk: 'state', sk: 'endpoint#odd', kind: 'prophecy', version: 'first' })
  expect(count('state-garbage')).toBe(0)
  clock.pass(NEWS_MS)
  expect(await attempts()).toBe('1')
  expect(count('state-garbage')).toBeGreaterThan(0)
})

describe('the last picture', () => {
  function start() {
    const clock = createFakeClock()
    const store = createMemoryStore(clock, { slowMs: 10 })
    const endpoint = endpointNamed('up/m')
    store.plant(encodeStateItem(endpointItem('up/m')))
    const instance = open(createInstance({ store, clock, endpoints: [endpoint] }))
    const isSkipped = async () => (await instance.plan(endpoint)).candidates.length === 0
    return { clock, store, endpoint, instance, isSkipped }
  }

  it('is used as long as the table is away', async () => {
    const { clock, store, instance, isSkipped } = start()
    expect(await isSkipped()).toBe(true)
    for (const mode of ['refuse', 'throttle', 'slow'] as const) {
      store.fail(mode)
      clock.pass(3_600_000)
      expect(await isSkipped()).toBe(true)
    }
    expect(instance.lines.some(({ event }) => event === 'state-error')).toBe(true)
  })

  it('is none where the table was never there', async () => {
    const { store, isSkipped } = start()
    store.fail('refuse')
    expect(await isSkipped()).toBe(false)
  })

  it('is what the process itself has seen, where there is no table: one trial an opening', async () => {
    const { clock, store, endpoint, instance } = start()
    store.fail('refuse')
    const failure = failureOf({ kind: 'server_error', scope: 'provider', status: 500 })
    for (let count = 0; count < 5; count += 1) await instance.request({ endpoint, failure })
    expect((await instance.plan(endpoint)).candidates).toEqual([])
    clock.pass(59_999)
    expect((await instance.plan(endpoint)).candidates).toEqual([])
    clock.pass(1)
    const [candidate] = (await instance.plan(endpoint)).candidates
    expect(candidate?.trial.map(({ scope }) => scope)).toEqual(['provider#up'])
    const claim = () => instance.memory.claimTrial(endpoint, candidate?.trial ?? [])
    expect(await claim()).not.toBeNull()
    expect(await claim()).toBeNull()
  })
})
