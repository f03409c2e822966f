/** Calls the work every `everyMs`, never twice at a time; returns what stops it and waits for the run under way. */
export function startScheduler(everyMs: number, work: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<unknown> | null = null
  const timer = setInterval(() => {
    running ??= work().finally(() => {
      running = null
    })
  }, everyMs)
  // A schedule alone must not keep the process alive.
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
