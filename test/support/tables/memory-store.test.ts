import { describe, expect, it } from 'vitest'
import { StoreError } from '../../../lambdas/store/store-error.ts'
import { endpointItem, NOW } from '../../store/state-items.ts'
import { createFakeClock } from '../clocks/fake-clock.ts'
import { createMemoryStore } from './memory-store.ts'

const item = endpointItem('a/one')
const open = () => createMemoryStore(createFakeClock(NOW))

describe('a memory store that misbehaves', () => {
  it.each(['refuse', 'slow', 'throttle'] as const)('(%s) fails every call and does none', async mode => {
    const store = open()
    await store.putStateItem(item, null)
    await store.addCounts('breaker#a#0', { f1: 1 }, [], NOW)
    store.fail(mode)
    const calls = [
      store.readState(),
      store.readStateItem(item.key),
      store.putStateItem({ ...item, version: 2 }, 1),
      store.deleteStateItem(item.key, 1),
      store.addCounts('breaker#a#0', { f1: 1 }, [], NOW),
      store.readCounts(['breaker#a#0']),
    ]
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreError) })
    }
    expect(store.items()).toEqual([item])
    expect(store.counts('breaker#a#0')).toEqual({ f1: 1 })
  })

  it('(garbage) understands nothing of what it holds', async () => {
    const store = open()
    await store.putStateItem(item, null)
    store.fail('garbage')
    expect(await store.readState()).toEqual({ items: [], garbage: 1 })
    expect(await store.readStateItem(item.key)).toBeNull()
  })

  it('is well again when it is told so', async () => {
    const store = open()
    await store.putStateItem(item, null)
    store.fail('refuse')
    store.fail(null)
    expect(await store.readState()).toEqual({ items: [item], garbage: 0 })
  })

  it('counts what it was asked', async () => {
    const store = open()
    store.fail('refuse')
    await store.readState().catch(() => undefined)
    expect([store.calls('readState'), store.calls('addCounts')]).toEqual([1, 0])
  })

  it('hands out copies', async () => {
    const store = open()
    const mine = structuredClone(item)
    await store.putStateItem(mine, null)
    mine.health.probe.failures = 9
    expect(await store.readStateItem(item.key)).toEqual(item)
  })
})
