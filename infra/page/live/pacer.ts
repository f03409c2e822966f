import type { Clock } from '../../../lambdas/platform/clock.ts'

/** Work that is repeated: every `idleMs` while nothing happens, `newsMs` after news. */
export type PacedWork = { idleMs: number; newsMs: number; work(): Promise<void> }

export type Pacer = {
  /** Starts, with a look at once, or stops. */
  run(isRunning: boolean): void
  /** Something has happened that the work may find. */
  news(): void
}

/** However large the fleet: reading takes at most a tenth of the time. */
const REST_PER_WORK = 9

/** Repeats several works, each never twice at a time. */
export function createPacer(clock: Clock, works: Readonly<Record<string, PacedWork>>): Pacer {
  const loops = Object.values(works).map(work => createLoop(clock, work))
  return {
    run: isRunning => loops.forEach(loop => (isRunning ? loop.start() : loop.stop())),
    news: () => loops.forEach(loop => loop.hurry()),
  }
}

function createLoop(clock: Clock, { idleMs, newsMs, work }: PacedWork) {
  let isStarted = false
  let isWorking = false
  let isNews = false
  let cancel: (() => void) | null = null
  /** No look before it. */
  let restUntil = 0

  function schedule(): void {
    cancel?.()
    const delayMs = isNews ? newsMs : idleMs
    cancel = clock.after(Math.max(delayMs, restUntil - clock.now()), () => void turn())
  }

  async function turn(): Promise<void> {
    cancel?.()
    cancel = null
    isNews = false
    isWorking = true
    const begunAt = clock.now()
    await work()
    const now = clock.now()
    restUntil = now + REST_PER_WORK * (now - begunAt)
    isWorking = false
    if (isStarted) schedule()
  }

  return {
    start() {
      if (isStarted) return
      isStarted = true
      if (!isWorking) void turn()
    },
    stop() {
      isStarted = false
      cancel?.()
      cancel = null
    },
    hurry() {
      if (isNews) return
      isNews = true
      if (isStarted && !isWorking) schedule()
    },
  }
}
