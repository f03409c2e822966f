import { describe, expect, it } from 'vitest'
import type { UsageKey } from '../../lambdas/core/item-keys.ts'
import { NOW } from './state-items.ts'
import type { OpenTable } from './tables.ts'

const PK: UsageKey = 'usage#somebody'
const LATER = NOW + 60_000

/** Counters of use: atomic, exact to the last decimal, and found by their place. */
export function describeUsage(current: () => OpenTable): void {
  describe('counters of use', () => {
    it('add up, fractions and negatives too, and every write returns all of them', async () => {
      const { store } = current()
      const at = { pk: PK, sk: 'one' }
      expect(await store.addUsage(at, { n: 1, d: 0.1 }, [], LATER)).toEqual({ n: 1, d: 0.1 })
      const sums = await store.addUsage(at, { n: 2, d: 0.0000000002, t: -5 }, [], LATER)
      expect(sums).toEqual({ n: 3, d: expect.closeTo(0.1000000002, 12), t: -5 })
    })

    it('go in the same write in which others grow', async () => {
      const { store } = current()
      const at = { pk: PK, sk: 'two' }
      await store.addUsage(at, { a: 1, b: 1 }, [], LATER)
      expect(await store.addUsage(at, { b: 1 }, ['a'], LATER)).toEqual({ b: 2 })
    })

    it('lose none of many that write at once', async () => {
      const { store } = current()
      const at = { pk: PK, sk: 'three' }
      await Promise.all(Array.from({ length: 40 }, () => store.addUsage(at, { n: 1 }, [], LATER)))
      expect(await store.addUsage(at, {}, [], LATER)).toEqual({ n: 40 })
    })

    it('are found between two places of their partition, and nowhere else', async () => {
      const { store } = current()
      for (const sk of ['01#a', '02#b', '02#c#%23', '03#d'])
        await store.addUsage({ pk: PK, sk }, { n: 1 }, [], LATER)
      await store.addUsage({ pk: 'usage#another', sk: '02#b' }, { n: 1 }, [], LATER)
      expect(await store.readUsage(PK, '02', '02~')).toEqual([
        { sk: '02#b', counters: { n: 1 } },
        { sk: '02#c#%23', counters: { n: 1 } },
      ])
      expect(await store.readUsage('usage#nobody', '0', '~')).toEqual([])
      expect(await store.readState()).toEqual({ items: [], garbage: 0 })
    })
  })
}
