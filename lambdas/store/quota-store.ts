import type { QuotaKey } from '../core/item-keys.ts'
import type { Counters } from './fleet-store.ts'

/** One write to the counters of a key's quotas. */
export type QuotaWrite = {
  key: QuotaKey
  add: Counters
  /** Counters that get this value, whatever they were. */
  set: Counters
  remove: readonly string[]
  /** Nothing is written where one of these counters is larger; one that does not exist is 0. */
  most: Counters
  /** Epoch milliseconds. */
  expiresAt: number
}

/** The counters as they are now; null = the table does not tell. */
export type QuotaWritten = { granted: boolean; counters: Counters | null }

/** What the engine needs of the counters of quotas. Every method rejects with `StoreError`; none repeats an `ADD`. */
export type QuotaStore = {
  writeQuota(write: QuotaWrite): Promise<QuotaWritten>
  /** The counters of at most 100 items, in their order; those that do not exist hold none. */
  readQuotas(keys: readonly QuotaKey[]): Promise<readonly Counters[]>
}
