import type { Conversation } from '../../../core/chat-request.ts'
import type { Chain, Endpoint } from '../../../core/endpoint.ts'
import { sessionKey } from '../../../core/item-keys.ts'
import type { Log } from '../../../core/log-event.ts'
import type { Snapshot } from '../../../core/routing/snapshot.ts'
import { hasChoice, isUsualPlace, type ServedLast } from '../../../core/routing/sticky.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { FleetStore } from '../../../store/fleet-store.ts'
import { createBackgroundWork, within } from '../background-work.ts'

/** What the fleet remembers of where conversations were served last. Nothing here rejects. */
export type StickyMemory = {
  /**
   * Null = not known. Waits at most 300 ms where the client names its conversation, else no longer than a plan waits for
   * its look; not at all where this instance has served it just now, where it only begins, and where its answers could
   * come from one place alone.
   */
  servedLast(conversation: Conversation, chain: Chain): Promise<ServedLast | null>
  /** Begins to write where that is news to the table, and the next request would not be served there anyhow. */
  remember(conversation: Conversation, chain: Chain, served: Served): void
  /** Everything is written, or given up. To be awaited before an invocation ends; null = there is nothing to await. */
  settled(): Promise<void> | null
}

type Served = { endpoint: Endpoint; tier: number; key: string | null }

export type StickyMemoryOptions = {
  store: Pick<FleetStore, 'readHolder' | 'putHolder'>
  clock: Clock
  /** How long a plan waits for its look, in milliseconds. */
  lookMs(): number
  /** As they are known now. */
  keys(): Snapshot['keys']
  log: Log
}

type Known = ServedLast & {
  usedAt: number
  /** When the table last heard of it; 0 = never. */
  writtenAt: number
}

const NAMED_READ_MS = 300
/** Since its last use; caches of prompts live from five minutes to an hour. */
const LIFE_MS = 30 * 60_000
/** What is said again within this time is not written again. */
const RENEW_MS = 5 * 60_000
/** Another instance may have served the conversation since. */
const OWN_MS = 60_000
const MOST_KNOWN = 5_000

/** Where conversations were served last, as one instance knows, reads and writes it. */
export function createStickyMemory({ store, clock, lookMs, keys, log }: StickyMemoryOptions): StickyMemory {
  const { start, settled } = createBackgroundWork(log)
  /** The one that was used least recently first. */
  const known = new Map<string, Known>()

  function keep(id: string, what: Known): void {
    known.delete(id)
    known.set(id, what)
    const [oldest] = known.size > MOST_KNOWN ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
  }

  function recall(id: string): Known | null {
    const own = known.get(id)
    return own && clock.now() - own.usedAt < LIFE_MS ? own : null
  }

  const isOld = ({ writtenAt }: Known): boolean => clock.now() - writtenAt > RENEW_MS

  async function read(id: string): Promise<Known | null> {
    const record = await store.readHolder(sessionKey(id))
    const own = recall(id)
    if (!record) return own
    const writtenAt = record.expiresAt * 1_000 - LIFE_MS
    if (own && own.usedAt >= writtenAt) return own
    const { endpoint, key } = record
    const found = { endpoint, key, usedAt: writtenAt, writtenAt }
    keep(id, found)
    return found
  }

  return {
    async servedLast(conversation, chain) {
      const { named, continued } = conversation
      if (!named && !continued) return null
      if (!hasChoice({ chain, keys: keys() })) return null
      const id = conversation.id()
      const own = recall(id)
      if (own && clock.now() - own.usedAt < OWN_MS) return own
      return (await within(named ? NAMED_READ_MS : lookMs(), start(read(id)), clock)) ?? own
    },

    remember(conversation, chain, { endpoint: { id: endpoint, provider }, tier, key }) {
      const fleet = { chain, keys: keys() }
      if (!hasChoice(fleet)) return
      const id = conversation.id()
      const isUsual = isUsualPlace(fleet, tier, { id: endpoint, provider })
      const now = clock.now()
      const own = recall(id)
      const isSame = own?.endpoint === endpoint && own.key === key
      const isNews = isUsual ? own !== null && own.writtenAt > 0 && !isSame : !isSame || isOld(own)
      keep(id, { endpoint, key, usedAt: now, writtenAt: isNews ? now : isSame ? own.writtenAt : 0 })
      if (!isNews) return
      const expiresAt = Math.ceil((now + LIFE_MS) / 1_000)
      void start(store.putHolder(sessionKey(id), { endpoint, key, expiresAt }))
    },

    settled,
  }
}
