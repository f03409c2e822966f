import type { SessionKey, StatsKey } from '../../../lambdas/core/item-keys.ts'
import { systemClock, type Clock } from '../../../lambdas/platform/clock.ts'
import type { Counters, FleetStore, Stats, WriteResult } from '../../../lambdas/store/fleet-store.ts'
import { decodeStateItem, encodeStateItem, type TableItem } from '../../../lambdas/store/item-codec.ts'
import {
  decodeHolder,
  encodeHolder,
  holderItemOf,
  type HolderKey,
} from '../../../lambdas/store/holder-item.ts'
import { decodeSession, encodeSession, type SessionRecord } from '../../../lambdas/store/session-item.ts'
import type { StateItem } from '../../../lambdas/store/state-item.ts'
import { createMemoryUsage, type MemoryUsage } from './memory-usage.ts'
import { createMemoryQuotas, type MemoryQuotas } from './memory-quotas.ts'
import { StoreError } from '../../../lambdas/store/store-error.ts'

/** How a table goes wrong: unreachable, past the client's limit, throttled, or holding what nobody understands. */
export type Misbehaviour = 'refuse' | 'slow' | 'throttle' | 'garbage'

export type MemoryStore = FleetStore &
  MemoryQuotas &
  MemoryUsage & {
    /** From now on every call goes wrong like this; null = all is well again, and nothing was lost. */
    fail(mode: Misbehaviour | null): void
    /** Every item of `state`, expired ones too, garbage not. */
    items(): readonly StateItem[]
    counts(key: StatsKey): Counters
    /** When the counters of an item expire, in epoch seconds. */
    countsExpireAt(key: StatsKey): number | null
    /** What a session has on record, expired or not. */
    session(key: SessionKey): SessionRecord | null
    /** Puts anything into the table, as someone else's hand would. */
    plant(item: TableItem): void
    /** How often each method was called, whether it went well or not. */
    calls(method: keyof FleetStore): number
  }

type Held = {
  counters: Record<string, number>
  expiresAt: number
  lastFailure: string | null
  suggestion: string | null
}
type MemoryOptions = {
  /** What the client of a real table waits for an answer, in milliseconds. */
  slowMs?: number
}
const forever = new AbortController().signal

/** The table in memory, with its conditions, and with its ways to misbehave. */
export function createMemoryStore(
  { now, sleep }: Pick<Clock, 'now' | 'sleep'>,
  { slowMs = 500 }: MemoryOptions = {},
): MemoryStore {
  const state = new Map<string, TableItem>()
  const sessions = new Map<string, TableItem>()
  const holders = new Map<string, TableItem>()
  const stats = new Map<StatsKey, Held>()
  const calls = new Map<keyof FleetStore, number>()
  let mode: Misbehaviour | null = null

  async function enter(method: keyof FleetStore): Promise<void> {
    calls.set(method, (calls.get(method) ?? 0) + 1)
    const going = mode
    if (going === 'slow') await sleep(slowMs, forever)
    if (going !== null && going !== 'garbage')
      throw new StoreError(`${method} failed: ${going}`, { isUnwritten: going !== 'slow' })
  }

  const isExpired = ({ expiresAt }: TableItem): boolean =>
    typeof expiresAt === 'number' && expiresAt * 1_000 <= now()

  const decode = (item: TableItem): StateItem | 'outdated' | null =>
    mode === 'garbage' ? null : decodeStateItem(structuredClone(item))

  const countersAt = (key: StatsKey): Counters => (mode === 'garbage' ? {} : { ...stats.get(key)?.counters })

  const sessionAt = (key: SessionKey): SessionRecord | null =>
    decodeSession(structuredClone(sessions.get(key) ?? {}))

  const holderAt = (key: HolderKey): string => `${key} ${holderItemOf(key)}`

  function isAsExpected(item: TableItem | undefined, expectedVersion: number | null): boolean {
    if (expectedVersion !== null) return item?.['version'] === expectedVersion
    return !item || isExpired(item) || typeof item['version'] !== 'number'
  }

  return {
    ...createMemoryUsage(enter),
    ...createMemoryQuotas(enter),

    async readState() {
      await enter('readState')
      const found = [...state.values()].map(decode).filter(item => item !== 'outdated')
      const items = found.filter(item => item !== null)
      return { items: items.filter(item => !isExpired(item)), garbage: found.length - items.length }
    },

    async readStateItem(key) {
      await enter('readStateItem')
      const found = state.get(key)
      const item = found && !isExpired(found) ? decode(found) : null
      return item === 'outdated' ? null : item
    },

    async putStateItem(item, expectedVersion): Promise<WriteResult> {
      await enter('putStateItem')
      if (!isAsExpected(state.get(item.key), expectedVersion)) return 'conflict'
      state.set(item.key, structuredClone(encodeStateItem(item)))
      return 'written'
    },

    async putStateItems(writes): Promise<WriteResult> {
      await enter('putStateItems')
      const fits = writes.every(({ item, expectedVersion }) =>
        isAsExpected(state.get(item.key), expectedVersion),
      )
      if (!fits) return 'conflict'
      for (const { item } of writes) state.set(item.key, structuredClone(encodeStateItem(item)))
      return 'written'
    },

    async deleteStateItem(key, expectedVersion): Promise<WriteResult> {
      await enter('deleteStateItem')
      if (!isAsExpected(state.get(key), expectedVersion)) return 'conflict'
      state.delete(key)
      return 'written'
    },

    async addCounts(key, add, remove, expiresAt, lastFailure) {
      await enter('addCounts')
      const held = stats.get(key)
      const counters = { ...held?.counters }
      for (const name of remove) delete counters[name]
      for (const [name, count] of Object.entries(add)) counters[name] = (counters[name] ?? 0) + count
      stats.set(key, {
        counters,
        expiresAt: Math.ceil(expiresAt / 1_000),
        lastFailure: lastFailure ?? held?.lastFailure ?? null,
        suggestion: held?.suggestion ?? null,
      })
      return countersAt(key)
    },

    async noteSuggestion(key, suggestion, expiresAt) {
      await enter('noteSuggestion')
      const held = stats.get(key) ?? { counters: {}, lastFailure: null }
      stats.set(key, { ...held, suggestion, expiresAt: Math.ceil(expiresAt / 1_000) })
    },

    async readCounts(keys) {
      await enter('readCounts')
      return keys.map(countersAt)
    },

    async readStats() {
      await enter('readStats')
      const all = [...stats].map(([key, { lastFailure, suggestion }]): [StatsKey, Stats] => [
        key,
        { counters: countersAt(key), lastFailure, suggestion },
      ])
      return new Map(all)
    },

    async readSession(key) {
      await enter('readSession')
      const record = mode === 'garbage' ? null : sessionAt(key)
      return record && !isExpired(record) ? record : null
    },

    async putSession(key, record, expectedVersion): Promise<WriteResult> {
      await enter('putSession')
      if (!isAsExpected(sessions.get(key), expectedVersion)) return 'conflict'
      sessions.set(key, structuredClone(encodeSession(key, record)))
      return 'written'
    },

    async readHolder(key) {
      await enter('readHolder')
      const record =
        mode === 'garbage' ? null : decodeHolder(structuredClone(holders.get(holderAt(key)) ?? {}))
      return record && !isExpired(record) ? record : null
    },

    async putHolder(key, record) {
      await enter('putHolder')
      holders.set(holderAt(key), structuredClone(encodeHolder(key, record)))
    },

    fail: next => void (mode = next),
    items: () =>
      [...state.values()]
        .map(item => decodeStateItem(item))
        .filter(item => item !== null && item !== 'outdated'),
    counts: key => ({ ...stats.get(key)?.counters }),
    countsExpireAt: key => stats.get(key)?.expiresAt ?? null,
    session: sessionAt,
    plant: item => {
      const isSession = String(item['pk']).startsWith('session#')
      if (isSession) sessions.set(String(item['pk']), structuredClone(item))
      else state.set(String(item['sk']), structuredClone(item))
    },
    calls: method => calls.get(method) ?? 0,
  }
}

/** A table that is never there: every gateway over it remembers nothing, and goes on. */
export function createForgetfulStore(): FleetStore {
  const store = createMemoryStore(systemClock)
  store.fail('refuse')
  return store
}
