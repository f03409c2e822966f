import type { CodeRule } from './codes/code-rule.ts'
import type { FailureScope } from './kinds.ts'

/** What no single answer shows: how a provider cuts its limits, and what a 5xx of it is about. */
export type ProviderTraits = {
  /** Whose limit a plain 429 is. */
  readonly limitScope?: FailureScope
  /** One process on one host: its errors are about that host. */
  readonly selfHosted?: boolean
  /** `x-ratelimit-*-requests` counts a day here, though the name does not say so. */
  readonly requestsCountDays?: boolean
  /** The zone of reset times that name none. */
  readonly zone?: string
  /** The hour (UTC) at which daily quotas come back. */
  readonly quotaResetHour?: number
}

/**
 * What classification knows of a provider. The same number means capacity at one provider and a missing model at
 * another, so codes belong to one provider; empty for one that nothing is known of.
 */
export type ProviderFailures = {
  readonly codes: readonly CodeRule[]
  readonly traits: ProviderTraits
}
