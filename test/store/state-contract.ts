import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { breakerItem, endpointItem, NOW, NOW_SECONDS, stateItems } from './state-items.ts'
import type { OpenTable } from './tables.ts'

const MANY_WRITERS = Array.from({ length: 12 }, (_, writer) => writer)

const FAR_FUTURE_SECONDS = 10_000_000_000

/** One item: conditions, conflicts, expiry, removal. */
export function describeStateItems(current: () => OpenTable): void {
  describe('an item', () => {
    it('is absent at first', async () => {
      expect(await current().store.readStateItem('endpoint#a/one')).toBeNull()
    })

    it('is read as it was written', async () => {
      const { store } = current()
      const item = endpointItem('mine@1a2b3c4d/org/model:free')
      expect(await store.putStateItem(item, null)).toBe('written')
      expect(await store.readStateItem(item.key)).toEqual(item)
    })

    it('is read as it was written, whatever it is', async () => {
      const { store, clock } = current()
      clock.now = 0
      for (const [index, item] of fc.sample(stateItems, 40).entries()) {
        // DynamoDB Local deletes by the machine's own clock what has expired.
        const expiresAt = item.expiresAt === null ? null : item.expiresAt + FAR_FUTURE_SECONDS
        const before = await store.readStateItem(item.key)
        const version = 2 * (index + 1)
        const written = { ...item, expiresAt, version }
        expect(await store.putStateItem(written, before?.version ?? null)).toBe('written')
        expect(await store.readStateItem(item.key)).toEqual(written)
      }
    })

    it('is replaced only on condition of the version that was read', async () => {
      const { store } = current()
      const first = breakerItem('a', { version: 5 })
      const second = breakerItem('a', { version: 6 })
      await store.putStateItem(first, null)
      expect(await store.putStateItem(second, 4)).toBe('conflict')
      expect(await store.readStateItem(first.key)).toEqual(first)
      expect(await store.putStateItem(second, 5)).toBe('written')
      expect(await store.putStateItem(second, 5)).toBe('conflict')
      expect(await store.readStateItem(first.key)).toEqual(second)
    })

    it('that is there cannot be made anew', async () => {
      const { store } = current()
      await store.putStateItem(endpointItem('a/one'), null)
      expect(await store.putStateItem(endpointItem('a/one', { version: 9 }), null)).toBe('conflict')
      expect(await store.readStateItem('endpoint#a/one')).toMatchObject({ version: 1 })
    })

    it('that is absent cannot be replaced', async () => {
      const { store } = current()
      expect(await store.putStateItem(endpointItem('a/one'), 1)).toBe('conflict')
      expect(await store.readStateItem('endpoint#a/one')).toBeNull()
    })

    it('leaves nothing of the one that it replaces', async () => {
      const { store } = current()
      await store.putStateItem(endpointItem('a/one', { expiresAt: NOW_SECONDS + 60 }), null)
      const lasting = endpointItem('a/one', { version: 2 })
      await store.putStateItem(lasting, 1)
      expect(await store.readStateItem('endpoint#a/one')).toEqual(lasting)
    })
  })

  describe('an item that has expired', () => {
    const expired = breakerItem('a', { expiresAt: NOW_SECONDS, version: 3 })

    it('is absent from the very second on, although it is still in the table', async () => {
      const { store, clock } = current()
      await store.putStateItem(expired, null)
      clock.now = NOW - 1
      expect(await store.readStateItem(expired.key)).toEqual(expired)
      clock.now = NOW
      expect(await store.readStateItem(expired.key)).toBeNull()
      expect(await store.readState()).toEqual({ items: [], garbage: 0 })
    })

    it('can be made anew, but not a moment before', async () => {
      const { store, clock } = current()
      await store.putStateItem(expired, null)
      const anew = breakerItem('a', { version: 1 })
      clock.now = NOW - 1
      expect(await store.putStateItem(anew, null)).toBe('conflict')
      clock.now = NOW
      expect(await store.putStateItem(anew, null)).toBe('written')
      expect(await store.readStateItem(expired.key)).toEqual(anew)
    })

    it('can be replaced and removed by whoever read it in time', async () => {
      const { store } = current()
      await store.putStateItem(expired, null)
      expect(await store.putStateItem(breakerItem('a', { version: 4, expiresAt: 1 }), 3)).toBe('written')
      expect(await store.deleteStateItem(expired.key, 4)).toBe('written')
    })
  })

  describe('several items', () => {
    const [one, two] = [endpointItem('a/one'), breakerItem('a/one')]

    it('are written together', async () => {
      const { store } = current()
      const writes = [one, two].map(item => ({ item, expectedVersion: null }))
      expect(await store.putStateItems(writes)).toBe('written')
      expect(await store.readStateItem(one.key)).toEqual(one)
      expect(await store.readStateItem(two.key)).toEqual(two)
    })

    it('or none of them is, where one is not what was read', async () => {
      const { store } = current()
      await store.putStateItem(one, null)
      await store.putStateItem(two, null)
      const writes = [
        { item: { ...one, version: 2 }, expectedVersion: 1 },
        { item: { ...two, version: 9 }, expectedVersion: 8 },
      ]
      expect(await store.putStateItems(writes)).toBe('conflict')
      expect(await store.readStateItem(one.key)).toMatchObject({ key: one.key, health: one.health })
      expect(await store.readStateItem(two.key)).toEqual(two)
    })

    it('of which one is new leave nothing behind where another is in the way', async () => {
      const { store } = current()
      await store.putStateItem(two, null)
      const writes = [one, two].map(item => ({ item, expectedVersion: null }))
      expect(await store.putStateItems(writes)).toBe('conflict')
      expect(await store.readStateItem(one.key)).toBeNull()
    })
  })

  describe('removal', () => {
    it('takes the item away on condition of its version', async () => {
      const { store } = current()
      await store.putStateItem(endpointItem('a/one', { version: 7 }), null)
      expect(await store.deleteStateItem('endpoint#a/one', 6)).toBe('conflict')
      expect(await store.readStateItem('endpoint#a/one')).not.toBeNull()
      expect(await store.deleteStateItem('endpoint#a/one', 7)).toBe('written')
      expect(await store.readStateItem('endpoint#a/one')).toBeNull()
    })

    it('of what is not there is a conflict', async () => {
      const { store } = current()
      expect(await store.deleteStateItem('endpoint#a/one', 1)).toBe('conflict')
    })

    it('makes room for a new item', async () => {
      const { store } = current()
      await store.putStateItem(endpointItem('a/one'), null)
      await store.deleteStateItem('endpoint#a/one', 1)
      expect(await store.putStateItem(endpointItem('a/one'), null)).toBe('written')
    })
  })

  describe('of many writers at once exactly one wins', () => {
    it('where there was nothing', async () => {
      const { store } = current()
      const results = await Promise.all(
        MANY_WRITERS.map(writer => store.putStateItem(endpointItem('a/one', { leaseUntil: writer }), null)),
      )
      expect(results.filter(result => result === 'written')).toHaveLength(1)
      const winner = results.indexOf('written')
      expect(await store.readStateItem('endpoint#a/one')).toMatchObject({ leaseUntil: winner })
    })

    it('where all had read the same', async () => {
      const { store } = current()
      await store.putStateItem(endpointItem('a/one'), null)
      const results = await Promise.all(
        MANY_WRITERS.map(writer =>
          store.putStateItem(endpointItem('a/one', { version: 2, leaseUntil: writer }), 1),
        ),
      )
      expect(results.filter(result => result === 'written')).toHaveLength(1)
    })

    it('where some replace and some remove', async () => {
      const { store } = current()
      await store.putStateItem(endpointItem('a/one'), null)
      const results = await Promise.all(
        MANY_WRITERS.map(writer =>
          writer % 2 === 0
            ? store.putStateItem(endpointItem('a/one', { version: 2 }), 1)
            : store.deleteStateItem('endpoint#a/one', 1),
        ),
      )
      expect(results.filter(result => result === 'written')).toHaveLength(1)
      const left = await store.readStateItem('endpoint#a/one')
      expect(left !== null).toBe(results.indexOf('written') % 2 === 0)
    })
  })
}
