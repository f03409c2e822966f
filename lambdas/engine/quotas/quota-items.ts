import type { QuotaKey } from '../../core/item-keys.ts'
import { expiredNames } from '../../core/quota/quota-counters.ts'
import type { QuotaCounters } from '../../core/quota/quotas.ts'
import type { Clock } from '../../platform/clock.ts'
import type { QuotaStore } from '../../store/quota-store.ts'

type Delta = Record<string, number>

/** Tells of what was counted whether it is in the table: what is not must not be given back there. */
export type Receipt = {
  /** While that is being written; null = it waits, or is decided. */
  writing: Promise<unknown> | null
  isLost: boolean
}

export const newReceipt = (): Receipt => ({ writing: null, isLost: false })

/** The counters of one key's quotas, as this instance knows them. */
export type QuotaItem = {
  key: QuotaKey
  /** As the table last told; null = it has told nothing yet. */
  told: QuotaCounters | null
  /** When that was. */
  readonly seenAt: number
  /** How often it has told. */
  readonly timesTold: number
  /** With what this instance has counted since, written or not. */
  counters(): QuotaCounters
  /** As the table will be after the next write, if nobody else writes. */
  next(): QuotaCounters
  /** Counts at once here, and in the table with the next write. */
  add(delta: QuotaCounters): Receipt
  /** Counts no longer here what is not in the table. */
  forget(receipt: Receipt, delta: QuotaCounters): void
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
  write(claim?: { add: QuotaCounters; most: QuotaCounters; receipt: Receipt }): Promise<QuotaCounters | null>
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
  let timesTold = 0
  let writtenAt = -Infinity
  let waiting: Delta = {}
  let values: Delta = {}
  /** Writes that are under way. */
  const sent = new Set<Delta>()
  /** Of everything that waits. */
  let receipts: readonly Receipt[] = []
  /** What is lost and counts here all the same, until the table tells again. */
  let believed = new WeakSet<Receipt>()

  function learn(counters: QuotaCounters, at: number): void {
    if (at < seenAt) return
    told = counters
    seenAt = at
    timesTold += 1
    believed = new WeakSet()
  }

  function lose(lost: readonly Receipt[]): void {
    for (const receipt of lost) {
      receipt.isLost = true
      believed.add(receipt)
    }
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
    lose(receipts)
    receipts = []
  }

  return {
    key,
    get told() {
      return told
    },
    get seenAt() {
      return seenAt
    },
    get timesTold() {
      return timesTold
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
      const receipt = receipts.at(-1) ?? newReceipt()
      if (receipts.length === 0) receipts = [receipt]
      if (!isShared()) keep()
      return receipt
    },
    forget(receipt, delta) {
      if (!believed.has(receipt)) return
      const rest: Delta = { ...told }
      bump(rest, delta, -1)
      told = rest
    },
    set(given, written) {
      if (written) values = { ...values, ...given }
      else told = { ...told, ...given }
    },
    async write({ add, most, receipt: claimed } = { add: {}, most: {}, receipt: newReceipt() }) {
      if (!isShared()) {
        bump(waiting, add)
        keep()
        lose([claimed])
        return told ?? {}
      }
      const [pending, set, counted] = [waiting, values, receipts]
      waiting = {}
      values = {}
      receipts = []
      const written = Promise.withResolvers<void>()
      for (const receipt of counted) receipt.writing = written.promise
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
        claimed.isLost = !granted
        if (granted) return counters ?? {}
        bump(waiting, pending)
        receipts = [...counted, ...receipts]
        values = { ...set, ...values }
        if (!counters) learn((await store.readQuotas([key]))[0] ?? {}, clock.now())
        return null
      } catch (error) {
        // It may have been counted or not: this instance goes on as if it had.
        const all: Delta = { ...told, ...set }
        bump(all, delta)
        told = all
        lose([...counted, claimed])
        throw error
      } finally {
        sent.delete(delta)
        for (const receipt of counted) receipt.writing = null
        written.resolve()
      }
    },
    learn,
  }
}
