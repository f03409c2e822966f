import type { LogEvent } from '../../lambdas/core/log-event.ts'
import type { RequestCompleted } from '../../lambdas/core/request-completed.ts'
import { systemClock } from '../../lambdas/platform/clock.ts'

/** A request that was refused before it had a plan. */
export type RequestRejected = Extract<LogEvent, { event: 'request-rejected' }>

/** What the log says of a request, and when it said so, in epoch milliseconds. */
export type RememberedRequest = (RequestCompleted | RequestRejected) & { at: number }

/** The last requests, by id. */
export type RequestMemory = {
  remember(line: RequestCompleted | RequestRejected): void
  find(requestId: string): RememberedRequest | undefined
  /** The newest first. */
  newestFirst(): readonly RememberedRequest[]
}

type Kept = { line: RequestCompleted | RequestRejected; at: number }

const remembered = ({ line, at }: Kept): RememberedRequest => ({ ...line, at })

export type MemoryLimits = { completed: number; rejected: number }

// Counted apart, so that a client with a wrong key cannot push out what others asked for.
const LIMITS: MemoryLimits = { completed: 1_000, rejected: 200 }

/** Keeps the newest lines; where a client uses an id twice, its last request. */
export function createRequestMemory(limits: MemoryLimits = LIMITS, now = systemClock.now): RequestMemory {
  const lines = new Map<string, Kept>()
  const counts = { completed: 0, rejected: 0 }

  function forget({ line }: Kept): void {
    lines.delete(line.requestId)
    counts[roomOf(line)]--
  }

  return {
    remember(line) {
      const before = lines.get(line.requestId)
      if (before) forget(before)
      lines.set(line.requestId, { line, at: now() })
      const room = roomOf(line)
      counts[room]++
      if (counts[room] <= limits[room]) return
      for (const oldest of lines.values()) if (roomOf(oldest.line) === room) return forget(oldest)
    },
    find(requestId) {
      const kept = lines.get(requestId)
      return kept && remembered(kept)
    },
    newestFirst: () => [...lines.values()].reverse().map(remembered),
  }
}

const roomOf = ({ event }: RequestCompleted | RequestRejected): keyof MemoryLimits =>
  event === 'request-completed' ? 'completed' : 'rejected'
