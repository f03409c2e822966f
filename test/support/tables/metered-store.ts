import { quotaAddress, statsPartition, type StatsKey } from '../../../lambdas/core/item-keys.ts'
import type { FleetStore } from '../../../lambdas/store/fleet-store.ts'
import { encodeStateItem, type TableItem } from '../../../lambdas/store/item-codec.ts'
import type { StateItem } from '../../../lambdas/store/state-item.ts'
import { itemBytes } from './item-bytes.ts'
import type { MemoryStore } from './memory-store.ts'

/** What DynamoDB would charge one partition, in write and read units. */
export type Units = { write: number; read: number }

export type MeteredStore = FleetStore & {
  /** By partition key, since the last reset. */
  readonly units: ReadonlyMap<string, Units>
  /** The largest item that was written, in bytes, by the kind that its sort key names. */
  readonly largest: ReadonlyMap<string, number>
  reset(): void
}

const WRITE_BYTES = 1_024
const READ_BYTES = 4_096
/** A transaction writes twice; a read that need not be consistent costs half. */
const IN_TRANSACTION = 2
const EVENTUALLY = 0.5

const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / WRITE_BYTES))
const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / READ_BYTES))

const kindOf = (pk: string, sk: string): string =>
  pk === 'state' ? sk.replace(/^(breaker#[a-z]+|[a-z]+).*$/s, '$1') : `stats ${sk.replace(/#.*$/s, '')}`

/**
 * Passes everything on to a table in memory, and counts what it would cost in DynamoDB.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
 */
export function createMeteredStore(store: MemoryStore): MeteredStore {
  const units = new Map<string, Units>()
  const largest = new Map<string, number>()
  const lastFailures = new Map<StatsKey, string>()

  function charge(pk: string, { write = 0, read = 0 }: Partial<Units>): void {
    const before = units.get(pk) ?? { write: 0, read: 0 }
    units.set(pk, { write: before.write + write, read: before.read + read })
  }

  function chargeWrite(item: TableItem, times = 1): void {
    const [pk, sk] = [String(item['pk']), String(item['sk'])]
    const bytes = itemBytes(item)
    largest.set(kindOf(pk, sk), Math.max(bytes, largest.get(kindOf(pk, sk)) ?? 0))
    charge(pk, { write: times * writeUnits(bytes) })
  }

  const sizeOfState = (items: readonly StateItem[]): number =>
    items.reduce((sum, item) => sum + itemBytes(encodeStateItem(item)), 0)

  function statsItem(key: StatsKey): TableItem {
    const lastFailure = lastFailures.get(key)
    return {
      pk: statsPartition(key),
      sk: key,
      expiresAt: store.countsExpireAt(key) ?? 0,
      ...store.counts(key),
      ...(lastFailure === undefined ? {} : { lastFailure }),
    }
  }

  return {
    ...store,
    units,
    largest,
    reset: () => units.clear(),

    readState() {
      charge('state', { read: EVENTUALLY * readUnits(sizeOfState(store.items())) })
      return store.readState()
    },

    readStateItem(key) {
      charge('state', { read: readUnits(sizeOfState(store.items().filter(item => item.key === key))) })
      return store.readStateItem(key)
    },

    putStateItem(item, expectedVersion) {
      // Also where its condition fails.
      chargeWrite(encodeStateItem(item))
      return store.putStateItem(item, expectedVersion)
    },

    putStateItems(writes) {
      for (const { item } of writes)
        chargeWrite(encodeStateItem(item), writes.length > 1 ? IN_TRANSACTION : 1)
      return store.putStateItems(writes)
    },

    deleteStateItem(key, expectedVersion) {
      charge('state', { write: 1 })
      return store.deleteStateItem(key, expectedVersion)
    },

    async addCounts(key, add, remove, expiresAt, lastFailure) {
      const before = itemBytes(statsItem(key))
      if (lastFailure !== undefined) lastFailures.set(key, lastFailure)
      const counters = await store.addCounts(key, add, remove, expiresAt, lastFailure)
      const after = statsItem(key)
      // The larger of what was there and what is there now.
      if (before > itemBytes(after)) charge(statsPartition(key), { write: writeUnits(before) })
      else chargeWrite(after)
      return counters
    },

    async writeQuota(write) {
      const { pk, sk } = quotaAddress(write.key)
      const before = itemBytes({ pk, sk, expiresAt: 0, ...store.quotaAt(write.key) })
      const written = await store.writeQuota(write)
      const after = itemBytes({ pk, sk, expiresAt: 0, ...store.quotaAt(write.key) })
      // Also where its condition fails.
      charge(pk, { write: writeUnits(Math.max(before, after)) })
      return written
    },

    async readQuotas(keys) {
      for (const key of keys) {
        const { pk, sk } = quotaAddress(key)
        const bytes = itemBytes({ pk, sk, expiresAt: 0, ...store.quotaAt(key) })
        charge(pk, { read: EVENTUALLY * readUnits(bytes) })
      }
      return store.readQuotas(keys)
    },

    async readCounts(keys) {
      for (const key of keys) charge(statsPartition(key), { read: readUnits(itemBytes(statsItem(key))) })
      return store.readCounts(keys)
    },
  }
}
