import type { QuotaKey } from '../../../lambdas/core/item-keys.ts'
import type { Counters } from '../../../lambdas/store/fleet-store.ts'
import type { QuotaStore } from '../../../lambdas/store/quota-store.ts'

export type MemoryQuotas = QuotaStore & {
  /** The counters of an item, expired or not. */
  quotaAt(key: QuotaKey): Counters
}

/** The counters of quotas in memory. */
export function createMemoryQuotas(enter: (method: keyof QuotaStore) => Promise<void>): MemoryQuotas {
  const items = new Map<QuotaKey, Record<string, number>>()
  return {
    async writeQuota({ key, add, set, remove, most }) {
      await enter('writeQuota')
      const before = items.get(key) ?? {}
      const granted = Object.entries(most).every(([name, value]) => (before[name] ?? 0) <= value)
      if (!granted) return { granted, counters: { ...before } }
      const counters = { ...before, ...set }
      for (const name of remove) delete counters[name]
      for (const [name, count] of Object.entries(add)) counters[name] = (counters[name] ?? 0) + count
      items.set(key, counters)
      return { granted, counters: { ...counters } }
    },
    async readQuotas(keys) {
      await enter('readQuotas')
      return keys.map(key => ({ ...items.get(key) }))
    },
    quotaAt: key => ({ ...items.get(key) }),
  }
}
