import { describe, expect, it } from 'vitest'
import { endpointNamed } from '../core/build.ts'
import { ask } from '../support/ask.ts'
import { chatStream } from '../support/upstreams/chat-bodies.ts'
import { closedPort } from '../support/upstreams/closed-port.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, createWorld, startGateway } from '../support/start-gateway.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance } from './instances/engine-instance.ts'
import { refusedConnection } from './instances/failures.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'

const open = endAfterEach()
const deadUrl = async (): Promise<string> => `http://127.0.0.1:${await closedPort()}/v1`
const eventsOf = (lines: readonly object[]): unknown[] =>
  lines.map(line => ('event' in line ? line.event : null))

describe('when our own network fails', () => {
  it('all hosts of three providers at once are neither suspected nor quarantined, and that is logged', async () => {
    const world = createWorld()
    const { store } = world
    const urls = { a: await deadUrl(), b: await deadUrl(), c: await deadUrl() }
    const gateway = open(
      await startGateway(
        configOf(urls, [['a/m'], ['b/m'], ['c/m']], { breaker_min_requests: 1_000 }),
        {},
        world,
      ),
    )
    for (let count = 0; count < 6; count += 1) {
      expect((await ask(gateway)).headers.get('x-backstop-attempts')).toBe('3')
    }
    await gateway.probe()
    await expect.poll(() => eventsOf(gateway.lines)).toContain('network-suspect')
    expect(store.items().filter(({ kind }) => kind === 'endpoint')).toEqual([])
    expect(eventsOf(gateway.lines)).not.toContain('health-transition')
  })

  it('hosts that answered just before are not held responsible, nor when they answer again', async () => {
    const world = createWorld()
    const { store } = world
    const upstreams = await Promise.all([1, 2, 3].map(() => startUpstream([chatStream(['ok'])])))
    const [a, b, c] = upstreams.map(({ url }) => url)
    if (!a || !b || !c) throw new Error('three upstreams')
    const configuration = {
      ...configOf({ a, b, c }, [['a/m'], ['b/m'], ['c/m']], { breaker_min_requests: 1_000 }),
    }
    const models = { ...configuration.models, b: { tiers: [['b/m']] }, c: { tiers: [['c/m']] } }
    const gateway = open(await startGateway({ ...configuration, models }, {}, world))
    for (const model of ['chat', 'b', 'c']) expect((await ask(gateway, { model })).content).toBe('ok')
    await Promise.all(upstreams.map(upstream => upstream.close()))
    for (let count = 0; count < 6; count += 1) expect((await ask(gateway)).status).toBeGreaterThan(499)
    expect(store.items().filter(({ kind }) => kind === 'endpoint')).toEqual([])
  })

  it('eight instances together hold nothing against anybody, before, during and after', async () => {
    const clock = createFakeClock()
    const store = createMemoryStore(clock)
    const endpoints = ['a/m', 'b/m', 'c/m'].map((name, index) =>
      endpointNamed(name, { baseUrl: `http://127.0.0.1:${index + 1}/v1` }),
    )
    const fleet = Array.from({ length: 8 }, () =>
      open(createInstance({ store, clock, endpoints, settings: { breaker_min_requests: 1_000 } })),
    )
    const everyone = async (...failures: readonly boolean[]) => {
      const attempts = failures.map((failed, index) => {
        const endpoint = endpoints[index] ?? endpointNamed('none/none')
        return { endpoint, failure: failed ? refusedConnection() : null }
      })
      for (const instance of fleet) await instance.request(...attempts)
      clock.pass(2_000)
    }
    await everyone(false, false, false)
    await everyone(true, true, true)
    await everyone(true, true, true)
    await everyone(false, false, false)
    expect(store.items().filter(({ kind }) => kind === 'endpoint')).toEqual([])
  })
})

describe('when a host is gone and others answer', () => {
  it('counts at once, whoever answers later in the same request', async () => {
    const world = createWorld()
    const { store } = world
    const good = open(await startUpstream([chatStream(['ok'])]))
    const urls = { dead: await deadUrl(), good: good.url }
    const gateway = open(await startGateway(configOf(urls, [['dead/m'], ['good/m']]), {}, world))
    for (const _ of [1, 2]) await ask(gateway)
    await expect
      .poll(() => store.items().find(({ kind }) => kind === 'endpoint'))
      .toMatchObject({
        health: { state: 'suspect', cause: 'network' },
      })
  })

  it('counts although it is all that a request can ask, where another answers within the minute', async () => {
    const clock = createFakeClock()
    const store = createMemoryStore(clock)
    const [dead, good] = [
      endpointNamed('dead/m', { baseUrl: 'http://127.0.0.1:1/v1' }),
      endpointNamed('good/m', { baseUrl: 'http://127.0.0.1:2/v1' }),
    ] as const
    const instance = open(createInstance({ store, clock, endpoints: [dead, good] }))
    const isSuspect = () => store.items().some(({ kind }) => kind === 'endpoint')
    // What answered before proves nothing: the network may have gone since.
    await instance.request({ endpoint: good, failure: null })
    for (const _ of [1, 2, 3, 4]) await instance.request({ endpoint: dead, failure: refusedConnection() })
    expect(isSuspect()).toBe(false)
    clock.pass(61_000)
    await instance.request({ endpoint: good, failure: null })
    expect(isSuspect()).toBe(false)
    for (const _ of [1, 2]) await instance.request({ endpoint: dead, failure: refusedConnection() })
    await instance.request({ endpoint: good, failure: null })
    expect(isSuspect()).toBe(true)
  })

  it('counts where there is no other provider that could show that our network works', async () => {
    const world = createWorld()
    const { store } = world
    const settings = { retry_max_attempts: 1 }
    const gateway = open(
      await startGateway(configOf({ only: await deadUrl() }, [['only/m']], settings), {}, world),
    )
    for (const _ of [1, 2]) await ask(gateway)
    await expect
      .poll(() => store.items())
      .toEqual(expect.arrayContaining([expect.objectContaining({ kind: 'endpoint' })]))
  })

  it('is quarantined by probes alone, which ask the others whether our network works', async () => {
    const world = createWorld()
    const { store } = world
    const good = open(await startUpstream([chatStream(['ok'])]))
    const urls = { dead: await deadUrl(), good: good.url }
    const gateway = open(await startGateway(configOf(urls, [['dead/m'], ['good/m']]), {}, world))
    for (const _ of [1, 2]) await ask(gateway)
    await expect.poll(() => store.items().some(({ kind }) => kind === 'endpoint')).toBe(true)
    const [before] = [good.calls()]
    for (const _ of [1, 2]) await gateway.probe()
    expect(store.items().find(({ kind }) => kind === 'endpoint')).toMatchObject({
      health: { state: 'quarantined' },
    })
    const checked = good.requests.slice(before).map(({ method, path }) => `${method} ${path}`)
    expect(checked).toEqual(['GET /v1/models', 'GET /v1/models'])
  })
})
