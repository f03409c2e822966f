import { recordOf } from '../record-of.ts'

type QuotaRow = {
  counts: 'requests' | 'tokens' | 'running'
  /** The window, in milliseconds, and how wide one bucket of its counters is. */
  windowMs: number
  bucketMs: number
  /** What its counters are called in the table. */
  prefix: string
}

const MINUTE = { windowMs: 60_000, bucketMs: 1_000 }
const DAY = { windowMs: 86_400_000, bucketMs: 1_800_000 }

/** Every limit of a provider that is counted, by its name in the configuration. */
export const QUOTAS = {
  requestsPerMinute: { counts: 'requests', ...MINUTE, prefix: 'rm' },
  tokensPerMinute: { counts: 'tokens', ...MINUTE, prefix: 'tm' },
  requestsPerDay: { counts: 'requests', ...DAY, prefix: 'rd' },
  tokensPerDay: { counts: 'tokens', ...DAY, prefix: 'td' },
  /** Requests at a time: each is counted in the bucket in which its lease ends, and counts until then. */
  concurrency: { counts: 'running', windowMs: 0, bucketMs: 5_000, prefix: 'c' },
} as const satisfies Record<string, QuotaRow>

export type QuotaName = keyof typeof QUOTAS

const isQuotaName = (name: string): name is QuotaName => Object.hasOwn(QUOTAS, name)
export const QUOTA_NAMES: readonly QuotaName[] = Object.keys(QUOTAS).filter(isQuotaName)

/** A value for each of them. */
export const perQuota = <Value>(valueOf: (name: QuotaName) => Value): Record<QuotaName, Value> =>
  recordOf(QUOTA_NAMES, valueOf)

/** Limits as the configuration or the catalogue states them; absent = nothing is stated. */
export type DeclaredQuotas = { readonly [Name in QuotaName]?: number | undefined }

/** A limit of one key, of all its models or of one. */
export type QuotaRule = {
  name: QuotaName
  /** As stated by the configuration; null = known only by what the provider has said. */
  declared: number | null
  /** The hour (UTC) at which a day of it begins; null = any 24 hours. */
  resetHour: number | null
}

/** Counters of one item by attribute name. */
export type QuotaCounters = Readonly<Record<string, number>>

/** What is left of a limit. */
export type Allowance = {
  limit: number
  left: number
  /** When as much as was asked for will be left, if nobody takes it before. Epoch milliseconds. */
  returnsAt: number
}
