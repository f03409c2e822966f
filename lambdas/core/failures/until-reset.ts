import type { Failure } from './failure.ts'
import type { ProviderTraits } from './provider-failures.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * How long it is until the provider's known daily reset brings a spent quota back, in milliseconds. Null where none is
 * known, for an empty account, and for every other failure.
 */
export function untilResetMs(
  failure: Failure,
  { quotaResetHour }: ProviderTraits,
  now: number,
): number | null {
  if (failure.kind !== 'quota_exhausted' || failure.class === 'non_retryable') return null
  if (quotaResetHour === undefined) return null
  const sinceReset = (now - quotaResetHour * HOUR_MS) % DAY_MS
  return DAY_MS - sinceReset
}
