import { quotaKeyOf, quotaMarkKey, type QuotaKey } from '../../core/item-keys.ts'
import { keysAt } from '../../core/quota/quota-mark.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import { itemAt as itemOf } from '../memory/change-item.ts'
import type { Start } from '../memory/note-failure.ts'
import type { MemoryTools } from '../memory/memory-tools.ts'
import { createQuotaItem, type QuotaItem } from './quota-items.ts'
import { isDeclared, itemKeysAt, rulesAt, type ItemRules } from './quota-rules.ts'

/** What this instance knows of the counters of quotas. */
export type QuotaView = {
  item(key: QuotaKey): QuotaItem
  /** The limits of an endpoint with one key, as they are known. */
  rulesAt(endpoint: Endpoint, key: string | null): readonly ItemRules[]
  /** Endpoints with a key of which any limit may be known. */
  limited(): readonly { endpoint: Endpoint; key: string | null }[]
  /** The whole fleet counts there. */
  isShared(key: QuotaKey): boolean
  /** Whether it may: of models that the configuration does not name there are as many as anyone makes up. */
  mayShare(key: QuotaKey): boolean
  /** For so long the whole fleet does. */
  share(key: QuotaKey, seconds: number): void
  /** A request takes from it, or waits for it: for a minute its picture is kept fresh. */
  use(key: QuotaKey): void
  /** Starts to read what is in use or was never read, where its picture is old; at most one read at a time. */
  look(): void
  /** Waits for that, at most so long; an instance that has no picture yet, up to `firstWaitMs`, once. */
  current(waitMs: number, firstWaitMs: number): Promise<void>
  /** Reads all of it, however fresh. Rejects with `StoreError`. */
  readAll(): Promise<void>
  items(): Iterable<QuotaItem>
}

const FRESH_MS = 1_000
/** Whoever waits for one of several requests at a time to end looks more often. */
const SLOT_FRESH_MS = 250
const LOST_LOOK_MS = 1_500
const IN_USE_MS = 60_000
/** As many as one read may name. */
const MOST_READ = 100
const MOST_ITEMS = 2_000
/** By then the table tells, unless it is away. */
const BEGUN_MS = 60_000

export function createQuotaView(
  { store, view, clock, endpoints, keys, stateError }: MemoryTools,
  start: Start,
): QuotaView {
  const items = new Map<QuotaKey, QuotaItem>()
  const usedAt = new Map<QuotaKey, number>()
  /** Items that this instance has just begun to share: the table may not tell yet. */
  const begun = new Map<QuotaKey, number>()
  const declaring = endpoints.filter(
    endpoint => isDeclared(endpoint, 'ofKey') || isDeclared(endpoint, 'ofModel'),
  )
  let hasWaited = false
  let pending: { startedAt: number; done: Promise<void> } | null = null

  const isKeyed = ({ needsKey, provider }: Endpoint): boolean =>
    !needsKey || (keys().get(provider) ?? []).length > 0

  const declaredKeys = (): readonly QuotaKey[] =>
    declaring.filter(isKeyed).flatMap(endpoint =>
      keysAt(endpoint, { keys: keys() }).flatMap(key => {
        const [shared, own] = itemKeysAt(endpoint, key)
        return [
          ...(isDeclared(endpoint, 'ofKey') ? [shared] : []),
          ...(isDeclared(endpoint, 'ofModel') ? [own] : []),
        ]
      }),
    )
  const markedKeys = (): readonly QuotaKey[] =>
    [...view.known().values()].flatMap(item => (item.kind === 'quota' ? [quotaKeyOf(item.key)] : []))
  /** Made anew only where something of it has changed. */
  let shared: { of: readonly unknown[]; keys: ReadonlySet<QuotaKey> } = { of: [], keys: new Set() }
  function sharedKeys(): ReadonlySet<QuotaKey> {
    for (const [key, at] of begun) if (clock.now() - at > BEGUN_MS) begun.delete(key)
    const of = [keys(), view.known(), begun.size]
    if (of.some((part, index) => part !== shared.of[index])) {
      shared = { of, keys: new Set([...declaredKeys(), ...begun.keys(), ...markedKeys()]) }
    }
    return shared.keys
  }

  const mayShare = (key: QuotaKey): boolean =>
    isShared(key) ||
    endpoints.some(endpoint =>
      keysAt(endpoint, { keys: keys() }).some(one => itemKeysAt(endpoint, one).includes(key)),
    )
  const isDeclaredAt = (key: QuotaKey): boolean => declaredKeys().includes(key)
  const isShared = (key: QuotaKey): boolean => sharedKeys().has(key)

  function itemAt(key: QuotaKey): QuotaItem {
    const known = items.get(key)
    if (known) {
      // Those used last stay longest.
      items.delete(key)
      items.set(key, known)
      return known
    }
    const item = createQuotaItem(key, { store, clock, isShared: () => isShared(key) })
    items.set(key, item)
    const [oldest] = items.keys()
    if (oldest !== undefined && items.size > MOST_ITEMS) {
      items.delete(oldest)
      usedAt.delete(oldest)
    }
    return item
  }

  async function read(all: readonly QuotaKey[], startedAt: number): Promise<void> {
    for (let from = 0; from < all.length; from += MOST_READ) {
      const some = all.slice(from, from + MOST_READ)
      const found = await store.readQuotas(some)
      for (const [index, key] of some.entries()) itemAt(key).learn(found[index] ?? {}, startedAt)
    }
  }

  const freshMs = (item: QuotaItem): number =>
    Object.keys(item.counters()).some(name => name.startsWith('c')) ? SLOT_FRESH_MS : FRESH_MS

  function look(): void {
    const now = clock.now()
    if (pending && now - pending.startedAt < LOST_LOOK_MS) return
    const old = [...sharedKeys()].filter(key => {
      const item = items.get(key)
      if (!item || item.seenAt === -Infinity) return true
      return now - (usedAt.get(key) ?? 0) <= IN_USE_MS && now - item.seenAt >= freshMs(item)
    })
    if (old.length === 0) return
    const inUse = [...items.keys()].toReversed().filter(key => old.includes(key))
    const some = [...new Set([...inUse, ...old])].slice(0, MOST_READ)
    const done = read(some, now)
      .catch(stateError)
      .finally(() => {
        if (pending?.done === done) pending = null
      })
    pending = { startedAt: now, done }
  }

  return {
    item: itemAt,
    isShared,
    mayShare,
    use: key => void usedAt.set(key, clock.now()),
    look,
    rulesAt: (endpoint, key) => rulesAt(endpoint, key, name => items.get(name)?.counters() ?? {}),
    limited() {
      const known = new Set([...sharedKeys(), ...items.keys()])
      if (known.size === 0) return []
      return endpoints.flatMap(endpoint =>
        keysAt(endpoint, { keys: keys() }).flatMap(key =>
          itemKeysAt(endpoint, key).some(name => known.has(name)) ? [{ endpoint, key }] : [],
        ),
      )
    },
    share(key, seconds) {
      if (isDeclaredAt(key)) return
      const now = clock.now()
      const mark = itemOf(view.known(), 'quota', quotaMarkKey(key))
      if ((mark?.expiresAt ?? 0) * 1_000 - now > seconds * 500) return
      begun.set(key, now)
      const version = Math.max((mark?.version ?? 0) + 1, now)
      const expiresAt = Math.ceil(now / 1_000) + seconds
      start(() =>
        store.putStateItem(
          { kind: 'quota', key: quotaMarkKey(key), version, expiresAt },
          mark?.version ?? null,
        ),
      )
    },
    async current(waitMs, firstWaitMs) {
      look()
      const patienceMs = hasWaited ? waitMs : firstWaitMs
      if (!pending || patienceMs <= 0) return
      hasWaited = true
      const waited = new AbortController()
      void pending.done.finally(() => waited.abort())
      await clock.sleep(patienceMs, waited.signal)
    },
    readAll: () => read([...sharedKeys()], clock.now()),
    items: () => items.values(),
  }
}
