import type { Endpoint } from '../../core/endpoint.ts'
import type { QuotaKey } from '../../core/item-keys.ts'
import type { QuotaMarks } from '../../core/quota/quota-mark.ts'
import type { NotedAttempt, Start } from '../memory/note-failure.ts'
import type { MemoryTools } from '../memory/memory-tools.ts'
import { claimItem, deltaOf, LEASE_MS, spentUntil, type Costs, type Taken } from './claim-item.ts'
import { settleTaken, takeBack, whenWritten } from './give-back.ts'
import { createQuotaLearner, type Heard } from './learn-quotas.ts'
import type { QuotaItem } from './quota-items.ts'
import { createOwnSpending } from './own-spending.ts'
import { quotaMarks, quotaRows, type QuotaRow } from './quota-rows.ts'
import { createQuotaView } from './quota-view.ts'

/** What a request has taken of the limits of an endpoint and a key, until it has ended. */
export type QuotaClaim = {
  parts: { item: QuotaKey; taken: readonly Taken[] }[]
  /** Ends the renewal of its leases. */
  release(): void
}

/** The key to call with, and what was taken for it; or when something may be left. Epoch milliseconds. */
export type Admission = { key: string | null; claim: QuotaClaim | null } | { spentUntil: number }

/** The limits of providers, as the fleet counts them together. Nothing here rejects but `describe`. */
export type Quotas = {
  look(): void
  current(waitMs: number, firstWaitMs: number): Promise<void>
  marks(): QuotaMarks
  /** Takes what a request costs, with the first of these keys that has it left. Waits at most 300 ms for the table. */
  admit(endpoint: Endpoint, keys: readonly string[], tokens: number): Promise<Admission>
  /** The call was not made, or the client does not wait for it. */
  giveBack(claim: QuotaClaim | null): void
  /** What an upstream has answered, in its headers and by refusing. */
  heard(attempt: NotedAttempt, heard: Heard): void
  /** An attempt is over; its tokens where they are known. */
  ended(attempt: NotedAttempt, tokens: number | null): void
  /** Writes what waits to be counted, where that is due. */
  flush(): void
  describe(): Promise<{ marks: QuotaMarks; rows: readonly QuotaRow[] }>
}

const FLUSH_MS = 1_000
/** A request longer than any lets its leases end. */
const MOST_RENEWALS = 30

export function createQuotas(tools: MemoryTools, start: Start): Quotas {
  const { clock, stateError } = tools
  const view = createQuotaView(tools, start)
  const spending = createOwnSpending(clock)
  const learner = createQuotaLearner(tools, view)

  function writeSoon(item: QuotaItem): void {
    if (item.isDirty && view.isShared(item.key)) start(() => item.write())
  }

  function putBack(key: QuotaKey, taken: readonly Taken[]): void {
    if (taken.length === 0) return
    whenWritten(taken, start, () => {
      const item = view.item(key)
      takeBack(item, taken)
      // Others may wait for it.
      writeSoon(item)
    })
  }

  /** A lease that outlives its holder must be short, so that a long answer renews it. */
  function keepLeases(claim: QuotaClaim): () => void {
    let left = MOST_RENEWALS
    let cancel = (): void => undefined
    const renew = (): void => {
      left -= 1
      for (const part of claim.parts) {
        const leases = part.taken.filter(({ name }) => name === 'concurrency')
        if (leases.length === 0) continue
        const longer = leases.map(lease => ({ ...lease, at: clock.now() + LEASE_MS }))
        const item = view.item(part.item)
        takeBack(item, leases)
        const receipt = item.add(deltaOf(longer))
        const renewed = longer.map(lease => ({ ...lease, receipt }))
        part.taken = [...part.taken.filter(({ name }) => name !== 'concurrency'), ...renewed]
        writeSoon(item)
      }
      if (left > 0) cancel = clock.after(LEASE_MS / 2, renew)
    }
    const isLeased = claim.parts.some(({ taken }) => taken.some(({ name }) => name === 'concurrency'))
    if (isLeased) cancel = clock.after(LEASE_MS / 2, renew)
    return () => cancel()
  }

  async function take(endpoint: Endpoint, key: string | null, costs: Costs): Promise<Admission> {
    const limits = view.rulesAt(endpoint, key)
    if (limits.length === 0) return { key, claim: null }
    for (const { key: at } of limits) view.use(at)
    const until = limits.flatMap(
      ({ key: at, rules }) => spentUntil(view.item(at), rules, costs, clock.now()) ?? [],
    )
    if (until.length > 0) return { spentUntil: Math.max(...until) }
    const parts = await Promise.all(
      limits.map(async ({ key: at, rules }) => {
        const taken = await claimItem(
          view.item(at),
          rules,
          { costs, ...spending.of(view.item(at)) },
          { clock, stateError },
        )
        return { item: at, rules, taken }
      }),
    )
    const missed = parts.filter(({ taken }) => taken === null)
    if (missed.length > 0) {
      for (const { item, taken } of parts) putBack(item, taken ?? [])
      const now = clock.now()
      const returns = missed.map(
        ({ item, rules }) => spentUntil(view.item(item), rules, costs, now) ?? now + FLUSH_MS,
      )
      return { spentUntil: Math.max(...returns) }
    }
    for (const { item, taken } of parts) {
      // What runs must be seen while it runs, however much is left.
      if (taken?.some(({ name, isScarce }) => name === 'concurrency' && !isScarce)) writeSoon(view.item(item))
    }
    const claim: QuotaClaim = {
      parts: parts.map(({ item, taken }) => ({ item, taken: taken ?? [] })),
      release: () => undefined,
    }
    claim.release = keepLeases(claim)
    return { key, claim }
  }

  return {
    look: view.look,
    current: view.current,

    marks: () => quotaMarks(view, clock.now()),

    async admit(endpoint, keys, tokens) {
      const costs = { requests: 1, running: 1, tokens: Math.max(1, Math.ceil(tokens)) }
      let soonest = Infinity
      for (const key of keys.length === 0 ? [null] : keys) {
        const admission = await take(endpoint, key, costs)
        if (!('spentUntil' in admission)) return admission
        soonest = Math.min(soonest, admission.spentUntil)
      }
      return { spentUntil: soonest }
    },

    giveBack(claim) {
      if (!claim) return
      claim.release()
      for (const { item, taken } of claim.parts) putBack(item, taken)
      claim.parts = []
    },

    heard: learner.heard,

    ended({ claim }, tokens) {
      if (!claim) return
      claim.release()
      for (const { item: key, taken } of claim.parts) {
        whenWritten(taken, start, () => {
          const item = view.item(key)
          if (settleTaken(item, taken, tokens)) writeSoon(item)
        })
      }
      claim.parts = []
    },

    flush() {
      const now = clock.now()
      for (const item of view.items()) {
        if (!item.isDirty || !view.isShared(item.key)) continue
        if (item.hasNews || now - item.writtenAt >= FLUSH_MS) start(() => item.write())
      }
    },

    async describe() {
      await view.readAll()
      const now = clock.now()
      return { marks: quotaMarks(view, now), rows: quotaRows(view, now) }
    },
  }
}
