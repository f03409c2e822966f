import type { Clock } from '../../lambdas/platform/clock.ts'

/** Calls the work every `everyMs`, never twice at a time; returns what stops it and waits for the run under way. */
export function startScheduler(
  everyMs: number,
  work: () => Promise<unknown>,
  clock: Clock,
): () => Promise<void> {
  let running: Promise<unknown> | null = null
  let cancel = clock.after(everyMs, tick)
  function tick(): void {
    cancel = clock.after(everyMs, tick)
    running ??= work().finally(() => {
      running = null
    })
  }
  return async () => {
    cancel()
    await running
  }
}
