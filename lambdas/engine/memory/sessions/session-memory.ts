import type { Log } from '../../../core/log-event.ts'
import type { SessionKey } from '../../../core/item-keys.ts'
import { sessionKey } from '../../../core/item-keys.ts'
import { joinFinished, writeFinished } from '../../../core/routing/finished-calls.ts'
import type { ToolRound } from '../../../core/chat-request.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { FleetStore } from '../../../store/fleet-store.ts'
import type { SessionRecord } from '../../../store/session-item.ts'
import { createBackgroundWork, within } from '../background-work.ts'

/** What the fleet remembers of sessions with tools. Nothing here rejects. */
export type SessionMemory = {
  /**
   * The header that tells upstreams which tool calls have run, from the request and from its session's record, and
   * starts to record what is new. Waits at most 300 ms, and not at all where there are no results of tools.
   */
  finishedHeader(round: ToolRound): Promise<Readonly<Record<string, string>>>
  /** Everything is recorded, or given up. To be awaited before an invocation ends; null = there is nothing to await. */
  settled(): Promise<void> | null
}

export type SessionMemoryOptions = {
  store: Pick<FleetStore, 'readSession' | 'putSession'>
  clock: Clock
  /** The name of that header. */
  header: string
  log: Log
}

const READ_MS = 300
const RECORD_SECONDS = 24 * 3_600
const MOST_WRITES = 12
/** Between two tries to write, doubling: whoever lost a race would lose the next one to the same rivals. */
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 320

/** The record with these calls in it; null where it holds them already and lives long enough. */
function recordWith(
  record: SessionRecord | null,
  finished: readonly string[],
  nowSeconds: number,
): SessionRecord | null {
  const known = record?.finished ?? []
  const isNew = finished.some(id => !known.includes(id))
  if (record && !isNew && record.expiresAt - nowSeconds > RECORD_SECONDS / 2) return null
  const expiresAt = nowSeconds + RECORD_SECONDS
  return { finished: joinFinished(known, finished), version: (record?.version ?? 0) + 1, expiresAt }
}

const pauseMs = (writes: number, random: number): number =>
  random * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** writes)

const neverAborts = new AbortController().signal

/** The records of sessions, as one instance reads and writes them. */
export function createSessionMemory({ store, clock, header, log }: SessionMemoryOptions): SessionMemory {
  const { start, settled } = createBackgroundWork(log)

  async function write(
    key: SessionKey,
    finished: readonly string[],
    reading: Promise<SessionRecord | null>,
  ): Promise<void> {
    let record = await reading
    for (let writes = 0; writes < MOST_WRITES; writes++) {
      const next = recordWith(record, finished, Math.ceil(clock.now() / 1_000))
      if (!next || (await store.putSession(key, next, record?.version ?? null)) === 'written') return
      // Somebody else has written meanwhile: what both know must be in it.
      await clock.sleep(pauseMs(writes, clock.random()), neverAborts)
      record = await store.readSession(key)
    }
    throw new Error(`session record not written: ${MOST_WRITES} tries lost to other writers`)
  }

  async function finishedCalls({ later, finished, session }: ToolRound): Promise<readonly string[]> {
    if (session === null || (!later && finished.length === 0)) return finished
    const key: SessionKey = sessionKey(session)
    const reading = start(store.readSession(key))
    void start(write(key, finished, reading))
    return joinFinished((await within(READ_MS, reading, clock))?.finished ?? [], finished)
  }

  return {
    async finishedHeader(round) {
      // Untracked, it would tell a gateway upstream that somebody keeps track.
      const value = round.tracked ? writeFinished(await finishedCalls(round)) : ''
      return value === '' ? {} : { [header]: value }
    },

    settled,
  }
}
