import type { SessionKey, StateKey, StatsKey } from '../core/item-keys.ts'
import type { HolderKey, HolderRecord } from './holder-item.ts'
import type { QuotaStore } from './quota-store.ts'
import type { SessionRecord } from './session-item.ts'
import type { StateItem } from './state-item.ts'
import type { UsageStore } from './usage-store.ts'

/** Counters of one item by attribute name; every one is a number that only grows until it is removed. */
export type Counters = Readonly<Record<string, number>>

/** What is counted of an endpoint, its last failure in a few words, and what its model may be replaced by; null = none. */
export type Stats = { counters: Counters; lastFailure: string | null; suggestion: string | null }

/** A write under a condition either happened or found something newer; the store never decides which is right. */
export type WriteResult = 'written' | 'conflict'

/** An item, and the version that must be in the table; null = none (or an expired one). */
export type ConditionalWrite = { item: StateItem; expectedVersion: number | null }

/**
 * What the engine needs of the table. Every method rejects with `StoreError` where the table cannot be reached in
 * time: callers go on without it. No method retries a counter, because a repeated `ADD` counts twice.
 */
export type FleetStore = QuotaStore &
  UsageStore & {
    /** Every item of `state` that has not expired, all pages. Items that make no sense are left out and counted. */
    readState(): Promise<{ items: readonly StateItem[]; garbage: number }>
    /** One item, read consistently; null = absent or expired. */
    readStateItem(key: StateKey): Promise<StateItem | null>
    /** Writes the item if its version in the table is the one given; null = only if there is none (or an expired one). */
    putStateItem(item: StateItem, expectedVersion: number | null): Promise<WriteResult>
    /** Writes all of them, each on its condition, or none. */
    putStateItems(writes: readonly ConditionalWrite[]): Promise<WriteResult>
    /** Removes the item if its version is the one given. */
    deleteStateItem(key: StateKey, expectedVersion: number): Promise<WriteResult>
    /**
     * Adds to counters and removes others in one write; returns all counters of the item as they are now. A counter that
     * is in both begins anew. `expiresAt` in epoch milliseconds.
     */
    addCounts(
      key: StatsKey,
      add: Counters,
      remove: readonly string[],
      expiresAt: number,
      lastFailure?: string,
    ): Promise<Counters>
    /** Notes beside an endpoint's counters what its model may be replaced by. `expiresAt` in epoch milliseconds. */
    noteSuggestion(key: StatsKey, suggestion: string, expiresAt: number): Promise<void>
    /** All counters of some items, in their order; those that do not exist hold none. */
    readCounts(keys: readonly StatsKey[]): Promise<readonly Counters[]>
    /** Every item of counters, by eight queries. */
    readStats(): Promise<ReadonlyMap<string, Stats>>
    /** What a session has on record, read consistently; null = nothing, expired, or nothing that makes sense. */
    readSession(key: SessionKey): Promise<SessionRecord | null>
    /** Writes the record if its version in the table is the one given; null = only if there is none (or an expired one). */
    putSession(key: SessionKey, record: SessionRecord, expectedVersion: number | null): Promise<WriteResult>
    /** Where the state behind an answer is, or a conversation was served; null = nobody knows, expired, or no sense. */
    readHolder(key: HolderKey): Promise<HolderRecord | null>
    /** Writes the record, whatever was there. */
    putHolder(key: HolderKey, record: HolderRecord): Promise<void>
  }
