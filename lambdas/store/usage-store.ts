import type { UsageKey } from '../core/item-keys.ts'
import type { Counters } from './fleet-store.ts'

/** An item of counters of use: its partition, and its place in it. */
export type UsageAddress = { pk: UsageKey; sk: string }

/** What the engine needs of the counters of use. Every method rejects with `StoreError`; none repeats an `ADD`. */
export type UsageStore = {
  /**
   * Adds to counters of an item and removes others in one write; returns all of its counters as they are now.
   * `expiresAt` in epoch milliseconds.
   */
  addUsage(at: UsageAddress, add: Counters, remove: readonly string[], expiresAt: number): Promise<Counters>
  /** The items of a partition whose places lie from `first` to `last`, all pages; expired ones too. */
  readUsage(pk: UsageKey, first: string, last: string): Promise<readonly { sk: string; counters: Counters }[]>
}
