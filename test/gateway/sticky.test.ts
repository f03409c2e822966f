import { describe, expect, it } from 'vitest'
import { endAfterEach } from '../fleet/instances/end-after-each.ts'
import { ask } from '../support/ask.ts'
import { createWorld, startGateway, type TestGateway, type World } from '../support/start-gateway.ts'
import type { UpstreamAnswer } from '../support/upstreams/upstream-answer.ts'
import { chatCompletion, chatStream, errorAnswer } from '../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'

const open = endAfterEach()
const MINUTE = 60_000

const HI = { role: 'user', content: 'Hi' }
const TURNS = [HI, { role: 'assistant', content: 'Hello.' }, { role: 'user', content: 'Go on.' }]

type Options = { alias?: object; variables?: Record<string, string>; tiers?: string[][] }

/** Replicas `a` and `b` of one model, and a weaker `c`, all of which are well until a test says otherwise. */
async function startFleet({ alias = {}, variables = {}, tiers = [['a/m', 'b/m'], ['c/m']] }: Options = {}) {
  const world: World = createWorld()
  const { clock } = world
  const down = new Set<string>()
  const start = (name: string) =>
    startUpstream(
      ({ body, headers }): UpstreamAnswer => {
        const authorization = String(headers.authorization)
        if (down.has(name) || down.has(authorization)) return errorAnswer(429, { message: 'Slow down.' })
        return body.stream ? chatStream(['ok']) : chatCompletion('ok')
      },
      { clock },
    )
  const upstreams = { a: open(await start('a')), b: open(await start('b')), c: open(await start('c')) }
  const providers = Object.fromEntries(
    Object.entries(upstreams).map(([name, { url }]) => [
      name,
      { baseUrl: url, ...(`${name.toUpperCase()}_API_KEY` in variables ? {} : { key: false }) },
    ]),
  )
  const config = { providers, models: { chat: { tiers, ...alias } }, settings: { retry_base_ms: 0 } }
  const instance = async (): Promise<TestGateway> => open(await startGateway(config, variables, world))
  return { ...world, down, upstreams, instance }
}

async function serverOf(gateway: TestGateway, body: object, headers = {}): Promise<string | null> {
  const answer = await ask(gateway, body, headers)
  await gateway.settled()
  return answer.headers.get('x-backstop-served-by')
}

describe('a conversation', () => {
  it('stays on the replica that served it, on any instance, while others go where they always go', async () => {
    const { clock, down, instance } = await startFleet()
    const gateway = await instance()
    down.add('a')
    expect(await serverOf(gateway, { messages: [HI], stream: true })).toBe('b/m')
    down.delete('a')
    clock.pass(5 * MINUTE)
    expect(await serverOf(gateway, { messages: TURNS })).toBe('b/m')
    expect(await serverOf(await instance(), { messages: TURNS, stream: true })).toBe('b/m')
    expect(await serverOf(gateway, { messages: [{ role: 'user', content: 'Something else' }] })).toBe('a/m')
    clock.pass(31 * MINUTE)
    expect(await serverOf(gateway, { messages: TURNS })).toBe('a/m')
  })

  it('leaves a replica that is not available, and stays where it is then', async () => {
    const { clock, down, instance } = await startFleet()
    const gateway = await instance()
    down.add('a')
    expect(await serverOf(gateway, { messages: [HI] })).toBe('b/m')
    down.delete('a')
    down.add('b')
    clock.pass(5 * MINUTE)
    expect(await serverOf(gateway, { messages: TURNS })).toBe('a/m')
    down.delete('b')
    clock.pass(5 * MINUTE)
    expect(await serverOf(await instance(), { messages: TURNS })).toBe('a/m')
  })

  it('goes back to a better model when that has returned', async () => {
    const { clock, down, instance } = await startFleet()
    const gateway = await instance()
    for (const name of ['a', 'b']) down.add(name)
    expect(await serverOf(gateway, { messages: [HI] })).toBe('c/m')
    down.clear()
    clock.pass(5 * MINUTE)
    expect(await serverOf(gateway, { messages: TURNS })).toBe('a/m')
  })

  it('is also known by the client’s id, and is the client’s wherever it goes on', async () => {
    const { clock, down, instance } = await startFleet()
    const gateway = await instance()
    const session = { 'x-backstop-session': 's-1' }
    down.add('a')
    expect(await serverOf(gateway, { messages: [HI] }, session)).toBe('b/m')
    down.delete('a')
    clock.pass(5 * MINUTE)
    const compacted = [{ role: 'user', content: 'Summary of what was said.' }]
    expect(await serverOf(await instance(), { messages: compacted }, session)).toBe('b/m')
    expect(await serverOf(gateway, { messages: compacted })).toBe('a/m')
  })

  it('keeps the key, because a cache is the account’s', async () => {
    const { clock, down, upstreams, instance } = await startFleet({
      variables: { A_API_KEY: 'key-one,key-two' },
      tiers: [['a/m']],
    })
    const gateway = await instance()
    down.add('Bearer key-one')
    expect(await serverOf(gateway, { messages: [HI] })).toBe('a/m')
    down.clear()
    clock.pass(5 * MINUTE)
    expect(await serverOf(await instance(), { messages: TURNS })).toBe('a/m')
    expect(upstreams.a.requests.at(-1)?.headers.authorization).toBe('Bearer key-two')
  })

  it('goes its way as if nothing had been where the alias is not sticky', async () => {
    const { clock, down, store, instance } = await startFleet({ alias: { sticky: false } })
    const gateway = await instance()
    down.add('a')
    expect(await serverOf(gateway, { messages: [HI] })).toBe('b/m')
    down.delete('a')
    clock.pass(5 * MINUTE)
    expect(await serverOf(gateway, { messages: TURNS })).toBe('a/m')
    expect(store.calls('readHolder') + store.calls('putHolder')).toBe(0)
  })

  it('costs nothing on the table where its answers come from where they always come', async () => {
    const { store, instance } = await startFleet()
    const gateway = await instance()
    expect(await serverOf(gateway, { messages: [HI] })).toBe('a/m')
    expect(await serverOf(gateway, { messages: TURNS })).toBe('a/m')
    expect(store.calls('readHolder') + store.calls('putHolder')).toBe(0)
  })
})

it('is told in a dry run and in the log', async () => {
  const { clock, down, instance } = await startFleet()
  const gateway = await instance()
  down.add('a')
  await serverOf(gateway, { messages: [HI] })
  down.delete('a')
  clock.pass(5 * MINUTE)
  const { text } = await ask(gateway, { messages: TURNS }, { 'x-backstop-dry-run': '1' })
  const candidates: object[] = JSON.parse(text).candidates
  expect(candidates.map(one => ({ sticky: false, ...one }))).toMatchObject([
    { endpoint: 'b/m', sticky: true },
    { endpoint: 'a/m', sticky: false },
    { endpoint: 'c/m', sticky: false },
  ])
  await serverOf(gateway, { messages: TURNS })
  expect(gateway.completed.at(-1)?.plan.candidates[0]).toMatchObject({ endpoint: 'b/m', sticky: true })
  expect(JSON.stringify(gateway.lines)).not.toContain('Go on')
})
