import { createHash } from 'node:crypto'
import type { Caller } from '../../../core/caller.ts'
import { responseKey, type ResponseKey } from '../../../core/item-keys.ts'
import type { Log } from '../../../core/log-event.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { FleetStore } from '../../../store/fleet-store.ts'
import type { HolderRecord } from '../../../store/holder-item.ts'
import { createBackgroundWork, within } from '../background-work.ts'

/** Which endpoint and key hold the state behind an answer. */
export type StateHolder = Pick<HolderRecord, 'endpoint' | 'key'>

/** What the fleet remembers of answers that a later request may refer to. Nothing here rejects. */
export type ResponseMemory = {
  /** Waits at most 300 ms; null = not known. */
  holderOf(caller: Caller, answerId: string): Promise<StateHolder | null>
  /** Begins to write; nobody waits for it before the end of the invocation. */
  remember(caller: Caller, answerId: string, holder: StateHolder): void
  /** Everything is written, or given up. To be awaited before an invocation ends; null = there is nothing to await. */
  settled(): Promise<void> | null
}

export type ResponseMemoryOptions = {
  store: Pick<FleetStore, 'readHolder' | 'putHolder'>
  clock: Clock
  log: Log
}

const READ_MS = 300
const RECORD_SECONDS = 30 * 24 * 3_600

/** The same id of two clients means two answers. Neither can be read from it. */
const keyOf = ({ name }: Caller, answerId: string): ResponseKey =>
  responseKey(
    createHash('sha256')
      .update(JSON.stringify([name, answerId]))
      .digest('hex')
      .slice(0, 32),
  )

/** The records of answers, as one instance reads and writes them. */
export function createResponseMemory({ store, clock, log }: ResponseMemoryOptions): ResponseMemory {
  const { start, settled } = createBackgroundWork(log)

  return {
    holderOf: (caller, answerId) => within(READ_MS, start(store.readHolder(keyOf(caller, answerId))), clock),
    remember(caller, answerId, { endpoint, key }) {
      const expiresAt = Math.ceil(clock.now() / 1_000) + RECORD_SECONDS
      void start(store.putHolder(keyOf(caller, answerId), { endpoint, key, expiresAt }))
    },
    settled,
  }
}
