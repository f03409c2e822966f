import {
  subjectOf,
  USAGE_COUNTERS,
  usageOf,
  type ConfiguredNames,
  type Consumed,
  type UsageCounter,
} from '../../core/callers/usage-counts.ts'
import { keptUntil, placeOf } from '../../core/callers/usage-place.ts'
import type { Log } from '../../core/log-event.ts'
import type { RequestCompleted } from '../../core/request-completed.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FleetStore } from '../../store/fleet-store.ts'
import type { UsageAddress } from '../../store/usage-store.ts'
import { createBackgroundWork } from '../memory/background-work.ts'

/** The record of who used what, as one instance writes it. Nothing here rejects. */
export type UsageRecord = {
  /** Counts a request that has ended. */
  ended(line: RequestCompleted, consumed: Consumed): void
  /** Everything that is due is written, or given up. To be awaited before an invocation ends. */
  settled(): Promise<void>
  /** Writes what is left, due or not, where it does not wait for a next request. */
  close(): Promise<void>
}

export type UsageRecordOptions = {
  store: Pick<FleetStore, 'addUsage'>
  clock: Pick<Clock, 'now' | 'after'>
  log: Log
  names: ConfiguredNames
  /** The least time between two writes of one item, in milliseconds. */
  everyMs: number
  /** What is not due yet is written as soon as it is, where the process is not frozen meanwhile: no request need come. */
  runsOn: boolean
}

type Waiting = { at: UsageAddress; add: Record<string, number>; expiresAt: number }

const isCounter = (name: string): name is UsageCounter => Object.hasOwn(USAGE_COUNTERS, name)

export function createUsageRecord(options: UsageRecordOptions): UsageRecord {
  const { store, clock, log, names, everyMs, runsOn } = options
  const waiting = new Map<string, Waiting>()
  const { start, settled } = createBackgroundWork(log)
  let flushedAt = Number.NEGATIVE_INFINITY
  let cancelLater: (() => void) | null = null

  function write({ at, add, expiresAt }: Waiting): void {
    // What could not be written is not written again: it might count twice.
    void start(store.addUsage(at, add, [], expiresAt))
  }

  function writeAll(): void {
    cancelLater?.()
    cancelLater = null
    flushedAt = clock.now()
    const due = [...waiting.values()]
    waiting.clear()
    due.forEach(write)
  }

  function flush(): void {
    if (waiting.size === 0) return
    const leftMs = flushedAt + everyMs - clock.now()
    if (leftMs <= 0) writeAll()
    else if (runsOn) cancelLater ??= clock.after(leftMs, writeAll)
  }

  return {
    ended(line, consumed) {
      const now = clock.now()
      const at = placeOf(subjectOf(line, names), now)
      const key = `${at.pk} ${at.sk}`
      const { add, ...rest } = waiting.get(key) ?? { at, add: {}, expiresAt: keptUntil(now) }
      for (const [name, count] of Object.entries(usageOf(line, consumed))) {
        if (count > 0 && isCounter(name)) {
          add[USAGE_COUNTERS[name]] = (add[USAGE_COUNTERS[name]] ?? 0) + count
        }
      }
      waiting.set(key, { ...rest, add })
    },
    settled() {
      flush()
      return settled()
    },
    close() {
      if (runsOn) writeAll()
      return settled()
    },
  }
}
