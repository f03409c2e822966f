import type { Failure } from './failure.ts'
import type { ProviderTraits } from './provider-failures.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * How long a spent quota bars its scope where the upstream did not say, in milliseconds: until the provider's known
 * daily reset, or a day for a money wall. Null where nothing is known, and for every other failure.
 */
export function quotaWaitMs(
  failure: Failure,
  { quotaResetHour }: ProviderTraits,
  now: number,
): number | null {
  if (failure.kind !== 'quota_exhausted') return null
  if (failure.class === 'non_retryable') return DAY_MS
  if (quotaResetHour === undefined) return null
  const sinceReset = (now - quotaResetHour * HOUR_MS) % DAY_MS
  return DAY_MS - sinceReset
}
