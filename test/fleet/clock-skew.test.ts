import { describe, expect, it } from 'vitest'
import { endpointNamed, failureOf, rateLimit } from '../core/build.ts'
import { chatStream } from '../support/upstreams/chat-bodies.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance, type EngineInstance } from './instances/engine-instance.ts'
import { modelGone } from './instances/failures.ts'
import { createFakeClock, START } from '../support/clocks/fake-clock.ts'

const open = endAfterEach()
const SKEW_MS = 5_000
const HOUR = 3_600_000
const serverError = () => failureOf({ kind: 'server_error', scope: 'provider' })

describe.each([
  ['ahead', SKEW_MS],
  ['behind', -SKEW_MS],
])('with another instance whose clock is five seconds %s', (_, skew) => {
  /** The true time is two seconds before a full hour, where every kind of bucket ends. */
  async function start(upstreamScript = [chatStream(['ok'])]) {
    const clock = createFakeClock(Math.ceil(START / HOUR) * HOUR - 2_000)
    const store = createMemoryStore(clock)
    const upstream = open(await startUpstream(upstreamScript))
    const endpoint = endpointNamed('up/m', { baseUrl: upstream.url })
    const second = endpointNamed('up/n', { baseUrl: upstream.url })
    const endpoints = [endpoint, second]
    const right = open(createInstance({ store, clock, endpoints }))
    const off = open(createInstance({ store, clock: clock.skewedBy(skew), endpoints }))
    return { clock, store, upstream, endpoint, second, right, off }
  }

  it('the evidence of both counts in one window', async () => {
    const { store, endpoint, right, off } = await start()
    for (const [instance, state] of [
      [right, undefined],
      [off, 'suspect'],
      [right, 'suspect'],
      [off, 'quarantined'],
    ] as const) {
      await instance.request({ endpoint, failure: modelGone() })
      const [item] = store.items()
      expect(item?.kind === 'endpoint' ? item.health.state : undefined).toBe(state)
    }
  })

  it("a success of the one empties the other's window", async () => {
    const { clock, store, endpoint, right, off } = await start()
    await off.request({ endpoint, failure: modelGone() })
    await right.request({ endpoint, failure: null })
    clock.pass(10_000)
    await right.request({ endpoint, failure: null })
    await off.request({ endpoint, failure: modelGone() })
    expect(store.items()).toEqual([])
  })

  it('both fill one breaker window, and one of them opens it', async () => {
    const { store, endpoint, second, right, off } = await start()
    await right.request({ endpoint, failure: serverError() })
    await off.request({ endpoint, failure: serverError() })
    await right.request({ endpoint: second, failure: serverError() })
    await off.request({ endpoint: second, failure: serverError() })
    expect(store.items()).toMatchObject([{ breaker: { state: 'closed' } }])
    await right.request({ endpoint, failure: serverError() })
    expect(store.items().find(({ kind }) => kind === 'breaker')).toMatchObject({ breaker: { state: 'open' } })
  })

  it('a cooldown ends five seconds off at most', async () => {
    const { clock, endpoint, right, off } = await start()
    await right.request({ endpoint, failure: rateLimit({ retryAfterMs: 30_000 }) })
    clock.pass(30_000 - SKEW_MS - 1)
    expect((await off.plan(endpoint)).candidates).toEqual([])
    clock.pass(2 * SKEW_MS + 1)
    expect((await off.plan(endpoint)).candidates).toHaveLength(1)
  })

  it('one trial is let through when a breaker is half-open, and five seconds off at most', async () => {
    const { clock, endpoint, second, right, off } = await start()
    for (const failing of [endpoint, endpoint, endpoint, second, second]) {
      await right.request({ endpoint: failing, failure: serverError() })
    }
    const claim = ({ memory }: EngineInstance) =>
      memory.claimTrial(endpoint, [{ scope: 'provider#up', everyMs: null }])
    clock.pass(60_000 - SKEW_MS - 1)
    await off.memory.snapshot()
    expect(await claim(off)).toBeNull()
    clock.pass(2 * SKEW_MS + 1)
    const claims = await Promise.all([off, right].map(claim))
    expect(claims.filter(Boolean)).toHaveLength(1)
    const [loser] = claims[0] ? [right] : [off]
    clock.pass(10_000 - SKEW_MS - 1)
    await loser.memory.snapshot()
    expect(await claim(loser)).toBeNull()
  })

  it('a lease keeps the other one from probing until it has passed', async () => {
    const { clock, upstream, endpoint, right, off } = await start()
    upstream.play((__, call) => (call === 1 ? { fault: 'no-response' } : chatStream(['ok'])))
    for (const ___ of [1, 2]) await right.request({ endpoint, failure: modelGone() })
    clock.pass(45_000 + SKEW_MS)
    void right.probe()
    await expect.poll(() => upstream.calls()).toBe(1)
    clock.pass(45_000 - SKEW_MS - 1)
    expect(await off.probe()).toEqual([])
    clock.pass(2 * SKEW_MS + 1)
    expect(await off.probe()).toMatchObject([{ outcome: 'ok' }])
  })

  it('a later change wins over an earlier one, whoever made it', async () => {
    const { store, endpoint, right, off } = await start()
    const versions: number[] = []
    for (const instance of [right, off, right, off]) {
      await instance.request({ endpoint, failure: modelGone() })
      versions.push(...store.items().map(({ version }) => version))
    }
    expect(versions).toEqual(versions.toSorted((one, other) => one - other))
    await off.probe({ force: true })
    expect(store.items()).toEqual([])
  })
})
