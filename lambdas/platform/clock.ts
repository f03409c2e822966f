/** Calls back once its time is over; begun anew, it costs a fraction of another one, whether it has rung or not. */
export type Timer = { again(): void; cancel(): void }

/** Time and chance as an argument, so that every decision can be replayed. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number
  /** In [0, 1). */
  random(): number
  /** Resolves after `ms`, or as soon as the signal aborts; never rejects, leaves no timer. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Calls back once after `ms`; returns what cancels it. */
  after(ms: number, callback: () => void): () => void
  /** The same for what is begun anew again and again. */
  timer(ms: number, callback: () => void): Timer
}

/** So many random bytes in hexadecimal digits, unlike any other instance's. */
export const randomHex = (bytes: number): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex')

/** The machine's clock: the only reader of the time and of randomness. */
export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  // The platform's own rejects where the signal aborts: an error with its stack for each request that waits for nothing.
  sleep(ms, signal) {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (signal.aborted) return Promise.resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
    return promise
  },
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  timer(ms, callback) {
    const timer = setTimeout(callback, ms)
    return { again: () => void timer.refresh(), cancel: () => clearTimeout(timer) }
  },
}
