import { describe, expect, it } from 'vitest'
import { NOW, NOW_SECONDS } from './state-items.ts'
import type { OpenTable } from './tables.ts'

const KEY = 'endpoint#mine@1a2b3c4d/org/model:free'
const LATER = NOW + 60_000

/** Counters: atomic, removable, and never read by the state. */
export function describeCounters(current: () => OpenTable): void {
  describe('counters', () => {
    it('are none at first', async () => {
      expect(await current().store.readCounts([KEY])).toEqual([{}])
    })

    it('add up, and every write returns all of them', async () => {
      const { store } = current()
      expect(await store.addCounts(KEY, { e1: 1, f1: 2 }, [], LATER)).toEqual({ e1: 1, f1: 2 })
      expect(await store.addCounts(KEY, { e1: 2, e2: 1 }, [], LATER)).toEqual({ e1: 3, f1: 2, e2: 1 })
      expect(await store.readCounts([KEY])).toEqual([{ e1: 3, f1: 2, e2: 1 }])
    })

    it('go when they are removed, in the same write in which others grow', async () => {
      const { store } = current()
      await store.addCounts(KEY, { e1: 1, e2: 1, e3: 1 }, [], LATER)
      expect(await store.addCounts(KEY, { e3: 1 }, ['e1', 'e2', 'never'], LATER)).toEqual({ e3: 2 })
      expect(await store.addCounts(KEY, {}, ['e3'], LATER)).toEqual({})
      expect(await store.addCounts(KEY, { e3: 5 }, [], LATER)).toEqual({ e3: 5 })
    })

    it('may be left alone while their expiry moves', async () => {
      const { store, countsExpireAt } = current()
      await store.addCounts(KEY, { e1: 1 }, [], NOW)
      expect(await store.addCounts(KEY, {}, [], LATER)).toEqual({ e1: 1 })
      expect(await countsExpireAt(KEY)).toBe(NOW_SECONDS + 60)
    })

    it('expire in whole seconds, never too early', async () => {
      const { store, countsExpireAt } = current()
      await store.addCounts(KEY, { e1: 1 }, [], NOW + 1)
      expect(await countsExpireAt(KEY)).toBe(NOW_SECONDS + 1)
    })

    it('begin anew where they go and grow in one write', async () => {
      const { store } = current()
      await store.addCounts(KEY, { e1: 7, e2: 1 }, [], LATER)
      const add = { e1: 2, e3: 1 }
      expect(await store.addCounts(KEY, add, ['e1', 'e2', 'e3'], LATER, 'words')).toEqual({ e1: 2, e3: 1 })
      expect(await store.readCounts([KEY])).toEqual([{ e1: 2, e3: 1 }])
    })

    it('have names of any kind', async () => {
      const { store } = current()
      const counts = { size: 1, 'with space': 2, 'a.b': 3, '#a0': 4, ':a0': 5, status: 6, '1': 7 }
      expect(await store.addCounts(KEY, counts, [], LATER)).toEqual(counts)
      expect(await store.addCounts(KEY, {}, Object.keys(counts).slice(1), LATER)).toEqual({ '1': 7 })
    })

    it('of one item are not those of another', async () => {
      const { store } = current()
      await store.addCounts('endpoint#a', { e1: 1 }, [], LATER)
      await store.addCounts('breaker#a#3', { e1: 2 }, [], LATER)
      expect(await store.readCounts(['endpoint#a'])).toEqual([{ e1: 1 }])
      expect(await store.readCounts(['breaker#a#3'])).toEqual([{ e1: 2 }])
    })

    it('are read together, in the order in which they were asked for', async () => {
      const { store } = current()
      await store.addCounts('breaker#a#7', { o1: 7 }, [], LATER)
      await store.addCounts('breaker#a#2', { o1: 2 }, [], LATER)
      const keys = ['breaker#a#2', 'breaker#a#5', 'breaker#a#7'] as const
      expect(await store.readCounts(keys)).toEqual([{ o1: 2 }, {}, { o1: 7 }])
    })

    it('are listed with the last failure of their endpoint, whatever partition they are in', async () => {
      const { store } = current()
      const endpoints = Array.from({ length: 30 }, (_, index) => `endpoint#a/m${index}` as const)
      for (const key of endpoints) await store.addCounts(key, { do1: 1 }, [], LATER)
      await store.addCounts('endpoint#a/m3', { e1: 1 }, [], LATER, 'timeout - 1 slow')
      await store.addCounts('endpoint#a/m3', { e1: 1 }, [], LATER)
      const stats = await store.readStats()
      expect([...stats.keys()].toSorted()).toEqual(endpoints.toSorted())
      expect(stats.get('endpoint#a/m3')).toEqual({
        counters: { do1: 1, e1: 2 },
        lastFailure: 'timeout - 1 slow',
        suggestion: null,
      })
    })

    it('are listed with what was noted beside them, which counts nothing and is lost by no count', async () => {
      const { store } = current()
      await store.addCounts('endpoint#a/m', { do1: 1 }, [], LATER, 'timeout - 1 slow')
      await store.noteSuggestion('endpoint#a/m', '1 m-2', LATER)
      await store.noteSuggestion('endpoint#a/new', '2 ', LATER)
      await store.noteSuggestion('endpoint#a/new', '3 m-3', LATER)
      await store.addCounts('endpoint#a/m', { do1: 1 }, [], LATER)
      const stats = await store.readStats()
      const last = { lastFailure: 'timeout - 1 slow', suggestion: '1 m-2' }
      expect(stats.get('endpoint#a/m')).toEqual({ counters: { do1: 2 }, ...last })
      expect(stats.get('endpoint#a/new')).toMatchObject({ counters: {}, suggestion: '3 m-3' })
    })

    it('lose nothing when fifty write at once, and each sees a count of its own', async () => {
      const { store } = current()
      const writers = Array.from({ length: 50 }, (_, writer) => writer)
      const results = await Promise.all(
        writers.map(writer => store.addCounts(KEY, { all: 1, [`own${writer % 5}`]: 1 }, [], LATER)),
      )
      const seen = results.map(({ all = 0 }) => all).toSorted((left, right) => left - right)
      expect(seen).toEqual(writers.map(writer => writer + 1))
      const own = Object.fromEntries([0, 1, 2, 3, 4].map(index => [`own${index}`, 10]))
      expect(await store.readCounts([KEY])).toEqual([{ all: 50, ...own }])
    })
  })
}
