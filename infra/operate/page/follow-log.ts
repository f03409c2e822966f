import { systemClock } from '../../../lambdas/platform/clock.ts'
import type { NoteRequest } from '../../page/page-source.ts'
import { requestLineSchema } from '../../request-contract.ts'
import { describeError } from '../../terminal/command-error.ts'
import type { FoundStack } from '../fleet/find-stack.ts'
import { type LoggedLine, searchLog } from '../fleet/search-log.ts'

/** How often the log is asked while a page is open. */
export const LOG_EVERY_MS = 10_000
/** How far back it is read at first. */
export const LOG_LOOK_BACK_MS = 15 * 60_000

/** Lines of one instant come in any order, and some seconds late. */
const OVERLAP_MS = 20_000
/** Of some thousand lines each, at a time: a fleet that writes more is told with a delay. */
const MOST_PAGES = 5
const PATTERN = '{ $.event = "request-completed" || $.event = "request-rejected" }'

/** Reads the finished requests of a stack from its log, oldest first, each once; goes on where it was stopped. */
export type LogFollower = {
  follow(note: NoteRequest, problem: (message: string | null) => void): () => void
}

export function createLogFollower(stack: FoundStack): LogFollower {
  /** Lines of the overlap that were told, and when they were written. */
  const told = new Map<string, number>()
  let readUntil = systemClock.now() - LOG_LOOK_BACK_MS

  function tell(found: LoggedLine, note: NoteRequest): void {
    const { at, requestId } = found
    const key = `${at} ${String(requestId)}`
    if (told.has(key)) return
    told.set(key, at)
    readUntil = Math.max(readUntil, at)
    // Lines of another version may lack what the page shows.
    const { success, data } = requestLineSchema.safeParse(found)
    if (success) note(data, at)
  }

  async function readOn(note: NoteRequest): Promise<void> {
    const search = { pattern: PATTERN, since: readUntil - OVERLAP_MS, mostPages: MOST_PAGES + 1 }
    let pages = 0
    for await (const lines of searchLog(stack, search)) {
      for (const line of lines) tell(line, note)
      pages += 1
      if (pages === MOST_PAGES) break
    }
    for (const [key, at] of told) if (at < readUntil - OVERLAP_MS) told.delete(key)
  }

  return {
    follow(note, problem) {
      let isStopped = false
      let cancel: (() => void) | null = null
      async function turn(): Promise<void> {
        await readOn(note).then(
          () => problem(null),
          (error: unknown) => problem(describeError(error)),
        )
        if (!isStopped) cancel = systemClock.after(LOG_EVERY_MS, () => void turn())
      }
      void turn()
      return () => {
        isStopped = true
        cancel?.()
      }
    },
  }
}
