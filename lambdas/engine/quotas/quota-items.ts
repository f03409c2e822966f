import type { QuotaKey } from '../../core/item-keys.ts'
import { expiredNames } from '../../core/quota/quota-counters.ts'
import type { QuotaCounters } from '../../core/quota/quotas.ts'
import type { Clock } from '../../platform/clock.ts'
import type { QuotaStore } from '../../store/quota-store.ts'

type Delta = Record<string, number>

/** The counters of one key's quotas, as this instance knows them. */
export type QuotaItem = {
  key: QuotaKey
  /** As the table last told; null = it has told nothing yet. */
  told: QuotaCounters | null
  /** When that was. */
  readonly seenAt: number
  /** With what this instance has counted since, written or not. */
  counters(): QuotaCounters
  /** As the table will be after the next write, if nobody else writes. */
  next(): QuotaCounters
  /** Counts at once here, and in the table with the next write. */
  add(delta: QuotaCounters): void
  /** Takes a value at once here; `written`: in the table too, with the next write. */
  set(values: QuotaCounters, written: boolean): void
  readonly isDirty: boolean
  /** A value waits that others do not know. */
  readonly hasNews: boolean
  /** When it was last written. */
  readonly writtenAt: number
  /**
   * Writes whatever waits, with a further claim on condition. Returns all counters as they were right then; null = more was
   * taken than the condition allows. Rejects with `StoreError`; what could not be written is not
   * written again, because it might count twice.
   */
  write(claim?: { add: QuotaCounters; most: QuotaCounters }): Promise<QuotaCounters | null>
  /** What the table holds, just read. */
  learn(counters: QuotaCounters, at: number): void
}

const DAY_MS = 86_400_000

function bump(into: Delta, delta: QuotaCounters, sign = 1): void {
  for (const [name, count] of Object.entries(delta)) into[name] = (into[name] ?? 0) + sign * count
}

const isEmpty = (delta: QuotaCounters): boolean => Object.keys(delta).length === 0

/** @param isShared whether the fleet counts there together; until then nothing of it leaves the instance */
export function createQuotaItem(
  key: QuotaKey,
  { store, clock, isShared }: { store: QuotaStore; clock: Clock; isShared(): boolean },
): QuotaItem {
  let told: QuotaCounters | null = null
  let seenAt = -Infinity
  let writtenAt = -Infinity
  let waiting: Delta = {}
  let values: Delta = {}
  /** Writes that are under way. */
  const sent = new Set<Delta>()

  function learn(counters: QuotaCounters, at: number): void {
    if (at < seenAt) return
    told = counters
    seenAt = at
  }

  function next(): QuotaCounters {
    const all: Delta = { ...told, ...values }
    bump(all, waiting)
    return all
  }

  /** Where nobody else counts, the instance's own counters are all there is. */
  function keep(): void {
    const own: Delta = { ...next() }
    for (const name of expiredNames(own, clock.now())) delete own[name]
    told = own
    waiting = {}
    values = {}
  }

  return {
    key,
    get told() {
      return told
    },
    get seenAt() {
      return seenAt
    },
    get writtenAt() {
      return writtenAt
    },
    get isDirty() {
      return !isEmpty(waiting) || !isEmpty(values)
    },
    get hasNews() {
      return !isEmpty(values)
    },
    next,
    counters() {
      const all: Delta = { ...next() }
      for (const delta of sent) bump(all, delta)
      return all
    },
    add(delta) {
      bump(waiting, delta)
      if (!isShared()) keep()
    },
    set(given, written) {
      if (written) values = { ...values, ...given }
      else told = { ...told, ...given }
    },
    async write({ add, most } = { add: {}, most: {} }) {
      const [pending, set] = [waiting, values]
      waiting = {}
      values = {}
      const delta: Delta = { ...pending }
      bump(delta, add)
      sent.add(delta)
      const at = clock.now()
      writtenAt = at
      const remove = expiredNames(told ?? {}, at).filter(name => !(name in delta))
      try {
        const { granted, counters } = await store.writeQuota({
          key,
          add: delta,
          set,
          remove,
          most,
          expiresAt: at + 2 * DAY_MS,
        })
        if (counters) learn(counters, at)
        if (granted) return counters ?? {}
        bump(waiting, pending)
        values = { ...set, ...values }
        if (!counters) learn((await store.readQuotas([key]))[0] ?? {}, clock.now())
        return null
      } catch (error) {
        // It may have been counted or not: this instance goes on as if it had.
        const believed: Delta = { ...told, ...set }
        bump(believed, delta)
        told = believed
        throw error
      } finally {
        sent.delete(delta)
      }
    },
    learn,
  }
}
