import type { Counters } from '../../../lambdas/store/fleet-store.ts'
import type { UsageAddress, UsageStore } from '../../../lambdas/store/usage-store.ts'

export type MemoryUsage = UsageStore & {
  /** The counters of an item, expired or not. */
  usageAt(at: UsageAddress): Counters
  /** When an item of use expires, in epoch seconds. */
  usageExpiresAt(at: UsageAddress): number | null
  /** The addresses of all items of use. */
  usageAddresses(): readonly UsageAddress[]
}

type Held = { at: UsageAddress; counters: Record<string, number>; expiresAt: number }

/** The counters of use in memory. */
export function createMemoryUsage(enter: (method: keyof UsageStore) => Promise<void>): MemoryUsage {
  const items = new Map<string, Held>()
  const nameOf = ({ pk, sk }: UsageAddress): string => JSON.stringify([pk, sk])
  return {
    async addUsage(at, add, remove, expiresAt) {
      await enter('addUsage')
      const counters = { ...items.get(nameOf(at))?.counters }
      for (const name of remove) delete counters[name]
      for (const [name, count] of Object.entries(add)) counters[name] = (counters[name] ?? 0) + count
      items.set(nameOf(at), { at, counters, expiresAt: Math.ceil(expiresAt / 1_000) })
      return { ...counters }
    },
    async readUsage(pk, first, last) {
      await enter('readUsage')
      return [...items.values()]
        .filter(({ at }) => at.pk === pk && at.sk >= first && at.sk <= last)
        .map(({ at, counters }) => ({ sk: at.sk, counters: { ...counters } }))
        .toSorted((a, b) => (a.sk < b.sk ? -1 : 1))
    },
    usageAt: at => ({ ...items.get(nameOf(at))?.counters }),
    usageExpiresAt: at => items.get(nameOf(at))?.expiresAt ?? null,
    usageAddresses: () => [...items.values()].map(({ at }) => at),
  }
}
