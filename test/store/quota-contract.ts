import { describe, expect, it } from 'vitest'
import { quotaKey } from '../../lambdas/core/item-keys.ts'
import type { QuotaWrite } from '../../lambdas/store/quota-store.ts'
import { NOW } from './state-items.ts'
import type { OpenTable } from './tables.ts'

const KEY = quotaKey('mine', '0123abcd', 'mine@1a2b3c4d/org/model:free')
const write = (parts: Partial<QuotaWrite>): QuotaWrite => ({
  key: KEY,
  add: {},
  set: {},
  remove: [],
  most: {},
  expiresAt: NOW + 60_000,
  ...parts,
})

/** Counters of quotas: claimed on condition, so that no two claims get the same last request. */
export function describeQuotas(current: () => OpenTable): void {
  describe('quotas', () => {
    it('hold nothing at first', async () => {
      expect(await current().store.readQuotas([KEY])).toEqual([{}])
    })

    it('add up, are set, and go', async () => {
      const { store } = current()
      const first = await store.writeQuota(write({ add: { rm1: 2, rm_n: 2 }, set: { rm_l: 20 } }))
      expect(first).toEqual({ granted: true, counters: { rm1: 2, rm_n: 2, rm_l: 20 } })
      const second = await store.writeQuota(
        write({ add: { rm2: 1, rm_n: 1 }, set: { rm_l: 10 }, remove: ['rm1', 'never'] }),
      )
      expect(second).toEqual({ granted: true, counters: { rm2: 1, rm_n: 3, rm_l: 10 } })
      expect(await store.readQuotas([KEY])).toEqual([{ rm2: 1, rm_n: 3, rm_l: 10 }])
    })

    it('are left alone where a counter is larger than it may be', async () => {
      const { store } = current()
      await store.writeQuota(write({ add: { rm1: 2, rm_n: 2 } }))
      const refused = await store.writeQuota(write({ add: { rm1: 1, rm_n: 1 }, most: { rm_n: 1 } }))
      expect(refused.granted).toBe(false)
      expect(refused.counters ?? { rm1: 2, rm_n: 2 }).toEqual({ rm1: 2, rm_n: 2 })
      expect(await store.readQuotas([KEY])).toEqual([{ rm1: 2, rm_n: 2 }])
      const granted = await store.writeQuota(write({ add: { rm1: 1, rm_n: 1 }, most: { rm_n: 2, td_n: 0 } }))
      expect(granted).toEqual({ granted: true, counters: { rm1: 3, rm_n: 3 } })
    })

    it('give the last of a limit to one of many that claim it at once', async () => {
      const { store } = current()
      const claim = () => store.writeQuota(write({ add: { rm1: 1, rm_n: 1 }, most: { rm_n: 4 } }))
      const claims = await Promise.all(Array.from({ length: 12 }, claim))
      expect(claims.filter(({ granted }) => granted)).toHaveLength(5)
    })

    it('of one endpoint are not those of another, nor of the whole key', async () => {
      const { store } = current()
      const others = [quotaKey('mine', '0123abcd', null), quotaKey('mine', null, null)]
      await store.writeQuota(write({ add: { rm1: 1 } }))
      expect(await store.readQuotas([...others, KEY])).toEqual([{}, {}, { rm1: 1 }])
    })
  })
}
