import type { QuotaKey } from '../../core/item-keys.ts'
import { expiredNames } from '../../core/quota/quota-counters.ts'
import type { QuotaCounters } from '../../core/quota/quotas.ts'
import type { Clock } from '../../platform/clock.ts'
import type { QuotaStore } from '../../store/quota-store.ts'
import { isUnwritten } from '../memory/is-unwritten.ts'

type Delta = Record<string, number>

/** Tells of what was counted whether it counts here alone: that must not be given back to the table. */
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
   * taken than the condition allows. Rejects with `StoreError`: what the table refused, or was never sent, is written with
   * the next one, claim and all; what was answered too late counts as written, because it most likely is.
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

/** The sum, without what has cancelled itself, or counts no more. */
function stillDue(waiting: QuotaCounters, add: QuotaCounters, now: number): Delta {
  const due: Delta = { ...waiting }
  bump(due, add)
  for (const name of expiredNames(due, now)) delete due[name]
  return Object.fromEntries(Object.entries(due).filter(([, count]) => count !== 0))
}

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
  /** Of what waits and was never sent. */
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

  /** After a claim that was refused without a word; where nothing can be read, it counts here alone. */
  async function lookAgain(add: QuotaCounters, claimed: Receipt): Promise<void> {
    try {
      learn((await store.readQuotas([key]))[0] ?? {}, clock.now())
    } catch (error) {
      const all: Delta = { ...told }
      bump(all, add)
      told = all
      lose([claimed])
      throw error
    }
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
      const at = clock.now()
      writtenAt = at
      const delta = stillDue(pending, add, at)
      if (isEmpty(delta) && isEmpty(set)) return told ?? {}
      const written = Promise.withResolvers<void>()
      for (const receipt of counted) receipt.writing = written.promise
      sent.add(delta)
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
        receipts = [...counted, ...receipts]
        values = { ...set, ...values }
        if (!counters) await lookAgain(add, claimed)
        return null
      } catch (error) {
        if (claimed.isLost) throw error
        if (isUnwritten(error)) {
          bump(waiting, delta)
          values = { ...set, ...values }
        } else {
          const all: Delta = { ...told, ...set }
          bump(all, delta)
          told = all
        }
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
