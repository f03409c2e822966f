import { setTimeout as delay } from 'node:timers/promises'

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
}

/** So many random bytes in hexadecimal digits, unlike any other instance's. */
export const randomHex = (bytes: number): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex')

/** The machine's clock: the only reader of the time and of randomness. */
export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}
