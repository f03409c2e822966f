import type { Log } from '../../core/log-event.ts'
import type { Clock } from '../../platform/clock.ts'

/** What runs on beside a request, and is over before its invocation ends: an instance is frozen then. */
export type BackgroundWork = {
  /** Null where it has failed, which is reported. */
  start<Result>(work: Promise<Result>): Promise<Result | null>
  /** Everything is done, or given up; null = nothing runs. */
  settled(): Promise<void> | null
}

export function createBackgroundWork(log: Log): BackgroundWork {
  const running = new Set<Promise<unknown>>()
  return {
    start<Result>(work: Promise<Result>) {
      const done: Promise<Result | null> = work
        .catch((error: unknown) => {
          log({ event: 'state-error', error: error instanceof Error ? error.message : String(error) })
          return null
        })
        .finally(() => void running.delete(done))
      running.add(done)
      return done
    },
    settled: () => (running.size === 0 ? null : allOf(running)),
  }
}

/** Resolves when nothing is left of what runs, and of what that starts. */
export async function allOf(running: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (running.size > 0) await Promise.all(running)
}

/** Where none is given, an error with its stack is made of it. */
const ANSWERED = 'answered'

/** What comes within so many milliseconds; null where nothing does. */
export async function within<Result>(
  ms: number,
  work: Promise<Result>,
  clock: Pick<Clock, 'sleep'>,
): Promise<Result | null> {
  const answered = new AbortController()
  const patience = clock.sleep(ms, answered.signal).then(() => null)
  const result = await Promise.race([work, patience])
  answered.abort(ANSWERED)
  return result
}
