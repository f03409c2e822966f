import type { StateKey } from '../../core/item-keys.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FleetStore } from '../../store/fleet-store.ts'
import type { StateItem } from '../../store/state-item.ts'

export type StateItems = ReadonlyMap<StateKey, StateItem>

/** What this instance knows of the table: one look at a time, and its own news, which a look may not know yet. */
export type FleetView = {
  /** Starts a look unless one is fresh or under way; the first thing of every invocation. */
  look(): void
  /**
   * The items, after at most `waitMs` for a fresh look: then the old ones, whatever their age. An instance that has
   * none yet waits up to `firstWaitMs`, once.
   */
  current(waitMs: number, firstWaitMs?: number): Promise<StateItems>
  /** The items as known, without waiting, with what this instance saw itself laid over them. */
  known(): StateItems
  /** An item as the table is known to hold it: what a write must be on condition of. */
  stored(key: StateKey): StateItem | null
  /** When the last look that succeeded began; null = none yet. Epoch milliseconds. */
  readonly readAt: number | null
  /** What this instance wrote, or read consistently: it sees that at once. */
  learned(key: StateKey, item: StateItem | null, version: number): void
  /**
   * What this instance has seen and will write, or could not: it obeys that at once, for a minute or until the table
   * holds something newer.
   */
  foresee(key: StateKey, item: StateItem | null): void
  /** The table was asked, and knows better. */
  settle(key: StateKey): void
}

type OwnNews = { item: StateItem | null; version: number; at: number }
type Foreseen = { item: StateItem | null; over: number; at: number }

const FRESH_MS = 1_000
/** A look that is out for longer was frozen with its instance: its answer may be from another age. */
const LOST_LOOK_MS = 1_500
const OWN_NEWS_MS = 2_000
const FORESEEN_MS = 60_000

export function createFleetView(
  store: FleetStore,
  clock: Clock,
  report: { error(error: unknown): void; garbage(count: number): void },
): FleetView {
  let stored: StateItems = new Map()
  let readAt: number | null = null
  let hasWaited = false
  let pending: { startedAt: number; done: Promise<void> } | null = null
  const own = new Map<StateKey, OwnNews>()
  const foreseen = new Map<StateKey, Foreseen>()

  /** A query is not consistent: for a moment it may not know what we have just written. */
  function withOwnNews(read: readonly StateItem[]): StateItems {
    const merged = new Map(read.map(item => [item.key, item]))
    for (const [key, news] of own) {
      const seen = merged.get(key)
      if (clock.now() - news.at > OWN_NEWS_MS) own.delete(key)
      else if (seen && seen.version > news.version) continue
      else if (news.item) merged.set(key, news.item)
      else merged.delete(key)
    }
    return merged
  }

  function known(): StateItems {
    if (foreseen.size === 0) return stored
    const merged = new Map(stored)
    for (const [key, { item, over, at }] of foreseen) {
      const isNewer = (stored.get(key)?.version ?? 0) > over
      if (isNewer || clock.now() - at > FORESEEN_MS) foreseen.delete(key)
      else if (item) merged.set(key, item)
      else merged.delete(key)
    }
    return merged
  }

  async function read(startedAt: number): Promise<void> {
    try {
      const found = await store.readState()
      if (readAt !== null && readAt >= startedAt) return
      if (found.garbage > 0) report.garbage(found.garbage)
      stored = withOwnNews(found.items)
      readAt = startedAt
    } catch (error) {
      report.error(error)
    }
  }

  const isFresh = (now: number): boolean => readAt !== null && now - readAt < FRESH_MS

  function look(): void {
    const now = clock.now()
    if (isFresh(now) || (pending && now - pending.startedAt < LOST_LOOK_MS)) return
    const done = read(now).finally(() => {
      if (pending?.done === done) pending = null
    })
    pending = { startedAt: now, done }
  }

  return {
    look,
    known,
    stored: key => stored.get(key) ?? null,
    async current(waitMs, firstWaitMs = waitMs) {
      look()
      if (isFresh(clock.now()) || !pending) return known()
      const waited = new AbortController()
      void pending.done.finally(() => waited.abort())
      const patienceMs = readAt === null && !hasWaited ? Math.max(waitMs, firstWaitMs) : waitMs
      hasWaited = true
      await clock.sleep(patienceMs, waited.signal)
      return known()
    },
    get readAt() {
      return readAt
    },
    learned(key, item, version) {
      own.set(key, { item, version, at: clock.now() })
      stored = withOwnNews([...stored.values()])
      foreseen.delete(key)
    },
    foresee: (key, item) =>
      void foreseen.set(key, { item, over: stored.get(key)?.version ?? 0, at: clock.now() }),
    settle: key => void foreseen.delete(key),
  }
}
