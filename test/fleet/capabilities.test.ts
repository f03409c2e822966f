import { describe, expect, it } from 'vitest'
import { releaseEndpoint } from '../../lambdas/engine/operate/operate-endpoint.ts'
import { endpointNamed } from '../core/build.ts'
import { chatCompletion, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance } from './instances/engine-instance.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'
import { modelGone } from './instances/failures.ts'

const open = endAfterEach()
const DAY = 86_400_000
const one = endpointNamed('a/one')

function start(settings = {}, endpoints = [one]) {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const instance = () => open(createInstance({ store, clock, endpoints, settings }))
  return { clock, store, instance }
}

describe('what an endpoint refused', () => {
  it('is known to every instance for a day, and not a moment longer', async () => {
    const { clock, instance } = start()
    const first = instance()
    first.memory.refused(one, { what: 'context', window: 50 })
    await first.memory.settled()
    const other = instance()
    const until = clock.now() + DAY
    expect((await other.plan(one)).skipped).toMatchObject([{ reason: 'context_too_small', until }])
    clock.pass(DAY - 1)
    expect((await other.plan(one)).candidates).toEqual([])
    clock.pass(1)
    expect((await other.plan(one)).candidates).toHaveLength(1)
    // Also where the table is away and the old picture is all there is.
    expect((await first.plan(one)).candidates).toHaveLength(1)
  })

  it('is kept for as long as the setting says', async () => {
    const { clock, instance } = start({ capability_memory_ms: 60_000 })
    const first = instance()
    first.memory.refused(one, { what: 'context', window: 50 })
    await first.memory.settled()
    clock.pass(60_000)
    expect((await first.plan(one)).candidates).toHaveLength(1)
  })

  it('loses nothing when two instances learn at once', async () => {
    const { store, instance } = start()
    const [first, second] = [instance(), instance()]
    await Promise.all([first.memory.snapshot(), second.memory.snapshot()])
    first.memory.refused(one, { what: 'tools' })
    second.memory.refused(one, { what: 'param', name: 'seed' })
    await Promise.all([first.memory.settled(), second.memory.settled()])
    const [item] = store.items()
    const learnt = item?.kind === 'capability' ? item.refusals.map(({ what }) => what) : []
    expect(learnt.toSorted()).toEqual(['param', 'tools'])
  })

  it('costs nothing when nothing is refused', async () => {
    const { store, instance } = start()
    await instance().request({ endpoint: one, failure: null })
    expect(store.items()).toEqual([])
  })

  it('does not move health, and outlives an illness', async () => {
    const { store, instance } = start()
    const first = instance()
    first.memory.refused(one, { what: 'tools' })
    await first.request({ endpoint: one, failure: modelGone() })
    await first.request({ endpoint: one, failure: modelGone() })
    await first.request({ endpoint: one, failure: null })
    expect(store.items().map(({ kind }) => kind)).toEqual(['capability'])
  })

  it('is forgotten when an operator releases the endpoint', async () => {
    const { store, instance } = start()
    const first = instance()
    first.memory.refused(one, { what: 'tools' })
    await first.memory.settled()
    await releaseEndpoint(first.tools, one)
    expect(store.items()).toEqual([])
  })
})

it('a probe asks an endpoint as it is known: plainly where it refused to stream', async () => {
  const upstream = open(
    await startUpstream(({ body }) =>
      body.stream ? errorAnswer(400, { message: 'does not support streaming' }) : chatCompletion('ok'),
    ),
  )
  const endpoint = endpointNamed('a/one', { baseUrl: upstream.url })
  const { instance } = start({}, [endpoint])
  const first = instance()
  first.memory.refused(endpoint, { what: 'stream' })
  await first.memory.settled()
  expect(await first.probe({ only: endpoint.id, force: true })).toMatchObject([{ outcome: 'ok' }])
})
