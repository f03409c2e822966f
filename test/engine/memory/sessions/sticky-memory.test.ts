import { describe, expect, it } from 'vitest'
import type { Conversation } from '../../../../lambdas/core/chat-request.ts'
import type { Chain } from '../../../../lambdas/core/endpoint.ts'
import { createStickyMemory } from '../../../../lambdas/engine/memory/sessions/sticky-memory.ts'
import { chainOf, endpointNamed } from '../../../core/build.ts'
import { createVirtualClock } from '../../../support/clocks/virtual-clock.ts'
import { createMemoryStore } from '../../../support/tables/memory-store.ts'

const MINUTE = 60_000
const CHAIN = chainOf([['a/m', 'b/m'], ['c/m']])
const named = (id: string) => () => id
const TURN: Conversation = { id: named('c1'), named: false, continued: true }
const FIRST: Conversation = { ...TURN, continued: false }
const NAMED: Conversation = { ...FIRST, named: true }
const on = (name: string, key: string | null = null, tier = 0) => ({
  endpoint: endpointNamed(name),
  tier,
  key,
})

function fleet(keys = new Map<string, string[]>(), slowMs = 500) {
  const clock = createVirtualClock()
  const store = createMemoryStore(clock, { slowMs })
  const lines: object[] = []
  const log = (line: object): void => void lines.push(line)
  const instance = () => createStickyMemory({ store, clock, log, lookMs: () => 50, keys: () => keys })
  return { clock, store, lines, instance, calls: () => [store.calls('readHolder'), store.calls('putHolder')] }
}

describe('where a conversation was served last', () => {
  it('is known to every instance for half an hour after its last use', async () => {
    const { clock, instance } = fleet()
    const first = instance()
    first.remember(FIRST, CHAIN, on('b/m', 'k2'))
    await first.settled()
    expect(await instance().servedLast(TURN, CHAIN)).toMatchObject({ endpoint: 'b/m', key: 'k2' })
    clock.pass(29 * MINUTE)
    expect(await first.servedLast(TURN, CHAIN)).toMatchObject({ endpoint: 'b/m' })
    first.remember(TURN, CHAIN, on('b/m', 'k2'))
    await first.settled()
    clock.pass(29 * MINUTE)
    expect(await instance().servedLast(TURN, CHAIN)).toMatchObject({ endpoint: 'b/m' })
    clock.pass(2 * MINUTE)
    expect(await first.servedLast(TURN, CHAIN)).toBeNull()
    expect(await instance().servedLast(TURN, CHAIN)).toBeNull()
  })

  it('is what the conversation was told last by any of them', async () => {
    const { clock, instance } = fleet()
    const [one, other] = [instance(), instance()]
    one.remember(FIRST, CHAIN, on('b/m'))
    await one.settled()
    clock.pass(2 * MINUTE)
    expect(await other.servedLast(TURN, CHAIN)).toMatchObject({ endpoint: 'b/m' })
    other.remember(TURN, CHAIN, on('a/m'))
    await other.settled()
    clock.pass(2 * MINUTE)
    expect(await one.servedLast(TURN, CHAIN)).toMatchObject({ endpoint: 'a/m' })
  })

  it('is not asked for where a conversation begins, unless the client names it', async () => {
    const { instance, calls } = fleet()
    const memory = instance()
    // The same question of somebody else is no turn of this conversation.
    memory.remember(FIRST, chainOf([['b/m', 'a/m']]), on('b/m'))
    expect(await memory.servedLast(FIRST, CHAIN)).toBeNull()
    expect(calls()).toEqual([0, 0])
    expect(await instance().servedLast(NAMED, CHAIN)).toBeNull()
    expect(calls()).toEqual([1, 0])
  })

  it('is read once a minute by an instance that knows it', async () => {
    const { clock, instance, calls } = fleet()
    const memory = instance()
    for (let turn = 0; turn < 30; turn += 1) {
      await memory.servedLast(TURN, CHAIN)
      memory.remember(TURN, CHAIN, on('b/m'))
      clock.pass(5_000)
    }
    await memory.settled()
    expect(calls()).toEqual([1, 1])
    clock.pass(MINUTE)
    await memory.servedLast(TURN, CHAIN)
    expect(calls()).toEqual([2, 1])
  })
})

describe('what is written', () => {
  it('is news only: another endpoint, another key, or the same after five minutes', async () => {
    const { clock, instance, calls } = fleet()
    const memory = instance()
    const writes = async (name: string, key: string | null = null): Promise<number | undefined> => {
      memory.remember(TURN, CHAIN, on(name, key))
      await memory.settled()
      return calls()[1]
    }
    expect(await writes('b/m')).toBe(1)
    expect(await writes('b/m')).toBe(1)
    expect(await writes('b/m', 'k2')).toBe(2)
    clock.pass(4 * MINUTE)
    expect(await writes('b/m', 'k2')).toBe(2)
    clock.pass(2 * MINUTE)
    expect(await writes('b/m', 'k2')).toBe(3)
  })

  it('is nothing where the next request goes there anyhow, until it was elsewhere', async () => {
    const { instance, calls } = fleet()
    const memory = instance()
    memory.remember(FIRST, CHAIN, on('a/m'))
    memory.remember(TURN, CHAIN, on('c/m', null, 1))
    memory.remember(TURN, CHAIN, on('a/m'))
    await memory.settled()
    expect(calls()).toEqual([0, 0])
    memory.remember(TURN, CHAIN, on('b/m'))
    memory.remember(TURN, CHAIN, on('a/m'))
    await memory.settled()
    expect(calls()).toEqual([0, 2])
    expect(await instance().servedLast(TURN, CHAIN)).toMatchObject({ endpoint: 'a/m' })
  })

  it('is nothing, and nothing is read, where answers come from one place alone or the alias wants it so', async () => {
    const { instance, calls } = fleet()
    const memory = instance()
    const chains: Chain[] = [chainOf([['a/m'], ['b/m']]), { ...CHAIN, sticky: false }]
    for (const chain of chains) {
      expect(await memory.servedLast(NAMED, chain)).toBeNull()
      memory.remember(NAMED, chain, on('b/m'))
    }
    await memory.settled()
    expect(calls()).toEqual([0, 0])
  })

  it('is the key too where a provider has several', async () => {
    const { instance } = fleet(new Map([['a', ['k1', 'k2']]]))
    const memory = instance()
    const chain = chainOf([['a/m']])
    memory.remember(FIRST, chain, on('a/m', 'k1'))
    await memory.settled()
    expect(await instance().servedLast(TURN, chain)).toMatchObject({ endpoint: 'a/m', key: 'k1' })
  })
})

describe('a table that is slow or away', () => {
  it('is waited for no longer than a plan waits, and 300 ms where the client names its conversation', async () => {
    const { clock, store, instance } = fleet(undefined, 60_000)
    store.fail('slow')
    const waits = async (conversation: Conversation): Promise<number> => {
      const at = clock.now()
      expect(await instance().servedLast(conversation, CHAIN)).toBeNull()
      return clock.now() - at
    }
    expect(await waits(TURN)).toBe(50)
    expect(await waits(NAMED)).toBe(300)
  })

  it('is told in the log, and costs neither the request nor what the instance knows itself', async () => {
    const { clock, store, lines, instance } = fleet()
    store.fail('refuse')
    const memory = instance()
    expect(await memory.servedLast(TURN, CHAIN)).toBeNull()
    memory.remember(TURN, CHAIN, on('b/m'))
    await memory.settled()
    clock.pass(2 * MINUTE)
    expect(await memory.servedLast(TURN, CHAIN)).toMatchObject({ endpoint: 'b/m' })
    await memory.settled()
    expect(lines.length).toBe(3)
    expect(lines).toMatchObject(lines.map(() => ({ event: 'state-error' })))
  })

  it('holds garbage, which is nothing', async () => {
    const { store, instance } = fleet()
    const memory = instance()
    memory.remember(FIRST, CHAIN, on('b/m'))
    await memory.settled()
    store.fail('garbage')
    expect(await instance().servedLast(TURN, CHAIN)).toBeNull()
  })
})

it('keeps no more than some thousand conversations in mind, the newest', async () => {
  const { store, instance } = fleet()
  const memory = instance()
  store.fail('refuse')
  for (let index = 0; index < 6_000; index += 1) {
    memory.remember({ ...TURN, id: named(`c${index}`) }, CHAIN, on('b/m'))
  }
  await memory.settled()
  expect(await memory.servedLast({ ...TURN, id: named('c5999') }, CHAIN)).not.toBeNull()
  expect(await memory.servedLast({ ...TURN, id: named('c0') }, CHAIN)).toBeNull()
})
