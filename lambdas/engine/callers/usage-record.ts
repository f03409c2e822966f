import { setImmediate as nextTurn } from 'node:timers/promises'
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
import { isUnwritten } from '../memory/is-unwritten.ts'
import type { UsageAddress } from '../../store/usage-store.ts'
import { createBackgroundWork } from '../memory/background-work.ts'
import { bump } from '../memory/counters/waiting-counts.ts'

/** The record of who used what, as one instance writes it. Nothing here rejects. */
export type UsageRecord = {
  /** Counts a request that has ended. */
  ended(line: RequestCompleted, consumed: Consumed): void
  /** Everything that is due is written, or given up. To be awaited before an invocation ends; null = there is nothing to await. */
  settled(): Promise<void> | null
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

/** A request that is not counted yet. */
type Ended = { line: RequestCompleted; consumed: Consumed; at: number }

/** Counted together, requests cost less than one by one, between others whose code pushes this out of the caches. */
const COUNTED_TOGETHER = 64

type Waiting = { at: UsageAddress; add: Record<string, number>; expiresAt: number }

const isCounter = (name: string): name is UsageCounter => Object.hasOwn(USAGE_COUNTERS, name)
const COUNTERS = Object.keys(USAGE_COUNTERS).filter(isCounter)

export function createUsageRecord(options: UsageRecordOptions): UsageRecord {
  const { store, clock, log, names, everyMs, runsOn } = options
  let uncounted: Ended[] = []
  const waiting = new Map<string, Waiting>()
  const { start, settled } = createBackgroundWork(log)
  let flushedAt = Number.NEGATIVE_INFINITY
  let cancelLater: (() => void) | null = null

  function heldAt(at: UsageAddress, expiresAt: number): Waiting {
    const key = `${at.pk} ${at.sk}`
    const held = waiting.get(key) ?? { at, add: {}, expiresAt }
    waiting.set(key, held)
    return held
  }

  function wait({ at, add, expiresAt }: Waiting): void {
    const held = heldAt(at, expiresAt)
    for (const [name, count] of Object.entries(add)) bump(held.add, name, count)
  }

  function count({ line, consumed, at }: Ended): void {
    const { add } = heldAt(placeOf(subjectOf(line, names), at), keptUntil(at))
    const used = usageOf(line, consumed)
    for (const name of COUNTERS) if (used[name] > 0) bump(add, USAGE_COUNTERS[name], used[name])
  }

  function countAll(): void {
    const all = uncounted
    uncounted = []
    for (const ended of all) count(ended)
  }

  async function write(due: Waiting): Promise<void> {
    try {
      await store.addUsage(due.at, due.add, [], due.expiresAt)
    } catch (error) {
      // What may have been written is not written again: it might count twice.
      if (isUnwritten(error)) wait(due)
      throw error
    }
  }

  function writeAll(): void {
    cancelLater?.()
    cancelLater = null
    flushedAt = clock.now()
    countAll()
    const due = [...waiting.values()]
    waiting.clear()
    for (const one of due) void start(write(one))
  }

  /** On a machine that was asleep the timer rings before Node has seen which connections died meanwhile. */
  async function writeAwake(): Promise<void> {
    await nextTurn()
    writeAll()
  }

  function flush(): void {
    if (waiting.size === 0 && uncounted.length === 0) return
    const leftMs = flushedAt + everyMs - clock.now()
    if (leftMs <= 0) writeAll()
    else if (runsOn) cancelLater ??= clock.after(leftMs, () => void writeAwake())
  }

  return {
    ended(line, consumed) {
      if (uncounted.push({ line, consumed, at: clock.now() }) >= COUNTED_TOGETHER) countAll()
    },
    settled() {
      flush()
      return settled()
    },
    async close() {
      if (runsOn) writeAll()
      await settled()
    },
  }
}
