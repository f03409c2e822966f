import { describe, expect, it } from 'vitest'
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

describe('a fleet most of whose providers are limited', () => {
  const MINUTE = 60_000

  /** `a` answers or is silent, `d` and the suspect `s` are well, all others are limited for an hour. */
  async function startLimited() {
    const world = createWorld()
    const now: { silent: boolean; gone: boolean } = { silent: false, gone: true }
    const limited = [errorAnswer(429, { message: 'Try again in an hour.' }, { 'retry-after': '3600' })]
    const scripts = {
      a: () => (now.silent ? { fault: 'no-response' as const } : chatStream(['ok'])),
      b: limited,
      c: limited,
      d: () => chatStream(['ok']),
      e: limited,
      f: limited,
      s: () => (now.gone ? errorAnswer(404, { code: 'model_not_found' }) : chatStream(['ok'])),
    }
    const urls: Record<string, string> = {}
    for (const [name, script] of Object.entries(scripts)) {
      urls[name] = open(await startUpstream(script, world)).url
    }
    const { providers, models } = configOf(urls, [['a/m'], ['d/m']])
    const all = { tiers: [['b/m'], ['c/m'], ['e/m'], ['f/m'], ['s/m'], ['d/m']] }
    const weak = { tiers: [['b/m'], ['s/m']] }
    const config = { providers, models: { ...models, all, weak }, settings: { retry_max_attempts: 6 } }
    const gateway = open(await startGateway(config, {}, world))
    return { ...world, now, gateway }
  }

  it('is degraded from the next minute on until two minutes after they are back', async () => {
    const { clock, now, gateway } = await startLimited()
    const modeOf = async (model: string) => {
      const { status, headers } = await ask(gateway, { model, stream: true })
      await gateway.settled()
      return [status, headers.get('x-backstop-served-by'), headers.get('x-backstop-mode')]
    }
    // What is limited is known after one request; the model of `s` is gone, twice.
    expect(await modeOf('all')).toEqual([200, 'd/m', null])
    expect(await modeOf('all')).toEqual([200, 'd/m', null])
    clock.pass(MINUTE)
    await gateway.probe(false)
    clock.pass(MINUTE)
    await gateway.probe(false)
    expect(await modeOf('chat')).toEqual([200, 'a/m', 'degraded'])
    const list = await fetch(`${gateway.url}/v1/endpoints`)
    expect(list.headers.get('x-backstop-mode')).toBe('degraded')
    expect(await list.json()).toMatchObject({ mode: 'degraded' })

    // An endpoint with another behind it is left after half of the usual time.
    now.silent = true
    const { headers } = await ask(gateway, { stream: true })
    expect(headers.get('x-backstop-chain')).toMatch(/^a\/m;timeout;(?:200)?;5000 > d\/m;ok;200;\d+$/)

    // What is suspect is called before a request is refused.
    now.gone = false
    expect(await modeOf('weak')).toEqual([200, 's/m', 'degraded'])

    clock.pass(60 * MINUTE)
    await gateway.probe(false)
    clock.pass(MINUTE)
    await gateway.probe(false)
    expect((await modeOf('chat')).at(-1)).toBe('degraded')
    clock.pass(MINUTE)
    await gateway.probe(false)
    clock.pass(1_000)
    expect((await modeOf('chat')).at(-1)).toBeNull()
    expect(await (await fetch(`${gateway.url}/v1/endpoints`)).json()).toMatchObject({ mode: 'normal' })
  })
})
