const MAX_JITTER_MS = 1_000

/**
 * Milliseconds to wait before the same endpoint is called again: `base · 2^retry` plus up to a second of jitter, so
 * that instances that failed together do not come back together. `retry` counts from 0, `random` is in [0, 1).
 */
export function backoffMs(baseMs: number, retry: number, random: number): number {
  return Math.round(baseMs * 2 ** retry + random * MAX_JITTER_MS)
}
