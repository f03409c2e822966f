import type { Clock } from '../../platform/clock.ts'

/** The same clock, adding up what is slept on it: a deliberate wait is not the gateway's own time. */
export function countWaiting(clock: Clock): { clock: Clock; waitedMs(): number } {
  let waitedMs = 0
  return {
    clock: {
      ...clock,
      async sleep(ms, signal) {
        const startedAt = clock.now()
        await clock.sleep(ms, signal)
        waitedMs += clock.now() - startedAt
      },
    },
    waitedMs: () => waitedMs,
  }
}
