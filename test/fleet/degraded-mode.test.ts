import { expect, it } from 'vitest'
import { encodeStateItem, type TableItem } from '../../lambdas/store/item-codec.ts'
import { endpointNamed } from '../core/build.ts'
import { ask } from '../support/ask.ts'
import { chatCompletion, chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'
import { configOf, createWorld, startGateway } from '../support/start-gateway.ts'
import { barItem } from '../store/state-items.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { createInstance } from './instances/engine-instance.ts'
import { createFakeClock } from '../support/clocks/fake-clock.ts'

const open = endAfterEach()
const HOUR = 3_600_000

const cooling = (provider: string, now: number): TableItem =>
  encodeStateItem(barItem(`limit#provider#${provider}`, now + HOUR, 'stated'))

function startFleet(names: readonly string[]) {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const endpoints = names.map(name => endpointNamed(name))
  const instance = open(createInstance({ store, clock, endpoints }))
  const mode = (): string => {
    const item = store.items().find(({ kind }) => kind === 'mode')
    return item?.kind === 'mode' ? item.mode.state : 'normal'
  }
  /** A probe run after some time; what the mode is then. */
  async function after(seconds: number): Promise<string> {
    clock.pass(seconds * 1_000)
    await instance.probe()
    return mode()
  }
  const cool = (provider: string): void => store.plant(cooling(provider, clock.now()))
  const warm = async (provider: string): Promise<unknown> =>
    store.deleteStateItem(`breaker#limit#provider#${provider}`, 1)
  return { clock, instance, after, cool, warm }
}

it('begins when fewer than half of the providers have been usable for a minute, and ends two minutes after', async () => {
  const { instance, after, cool, warm } = startFleet(['a/m', 'b/m', 'c/m', 'd/m'])
  for (const provider of ['a', 'b']) cool(provider)
  expect([await after(0), await after(300)]).toEqual(['normal', 'normal'])
  cool('c')
  expect([await after(2), await after(59)]).toEqual(['normal', 'normal'])
  expect(await after(1)).toBe('degraded')
  expect((await instance.memory.snapshot()).degraded).toBe(true)
  await warm('a')
  expect([await after(2), await after(119)]).toEqual(['degraded', 'degraded'])
  expect(await after(1)).toBe('normal')
  const modes = instance.lines.filter(({ event }) => event === 'mode-transition')
  expect(modes).toMatchObject([
    { from: 'normal', to: 'degraded', usable: 1, providers: 4 },
    { from: 'degraded', to: 'normal', usable: 2, providers: 4 },
  ])
})

it('does not begin while it is now few and now enough, nor where there are but two providers', async () => {
  const flapping = startFleet(['a/m', 'b/m', 'c/m'])
  for (const provider of ['a', 'b']) flapping.cool(provider)
  expect(await flapping.after(2)).toBe('normal')
  await flapping.warm('a')
  expect(await flapping.after(40)).toBe('normal')
  flapping.cool('a')
  expect(await flapping.after(40)).toBe('normal')
  expect(await flapping.after(59)).toBe('normal')

  const small = startFleet(['a/m', 'b/m'])
  for (const provider of ['a', 'b']) small.cool(provider)
  expect([await small.after(0), await small.after(120)]).toEqual(['normal', 'normal'])
})

it('is told with every answer, streamed, whole, failed or planned, and only then', async () => {
  const { clock, store } = createWorld()
  const upstream = open(
    await startUpstream({
      m: request => (request.body.stream ? chatStream(['ok']) : chatCompletion('ok')),
      gone: [errorAnswer(404, {})],
    }),
  )
  const { providers, models } = configOf({ up: upstream.url }, [['up/m']])
  const gateway = open(
    await startGateway(
      { providers, models: { ...models, gone: { tiers: [['up/gone']] } } },
      {},
      { clock, store },
    ),
  )
  const modes = async () => {
    const answers = [
      await ask(gateway, { stream: true }),
      await ask(gateway),
      await ask(gateway, { model: 'gone' }),
      await ask(gateway, {}, { 'x-backstop-dry-run': '1' }),
    ]
    return answers.map(({ headers }) => headers.get('x-backstop-mode'))
  }
  expect(await modes()).toEqual([null, null, null, null])
  store.plant({
    pk: 'state',
    sk: 'mode',
    kind: 'mode',
    version: 1,
    mode: { state: 'degraded', since: clock.now(), enoughSince: null },
  })
  clock.pass(1_000)
  expect(await modes()).toEqual(['degraded', 'degraded', 'degraded', 'degraded'])
})
