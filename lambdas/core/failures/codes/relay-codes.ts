import type { CodeRule } from './code-rule.ts'
import { MONEY_WALL, verdict } from '../verdict.ts'

const NO_ACCESS = verdict('permission')
const MODEL_GONE = verdict('model_not_found')
const SITE_CAPACITY = verdict('site_capacity')
const WINDOW_SPENT = verdict('quota_exhausted')
const MODEL_FAULT = verdict('server_error', { scope: 'model' })

/** https://openrouter.ai/docs/api-reference/errors; `metadata.error_type` and `limit_source` are its typed reasons. */
export const OPENROUTER_CODES: readonly CodeRule[] = [
  { codes: ['openrouter_free_tier_daily'], gives: WINDOW_SPENT },
  { codes: ['openrouter_shared_capacity', 'upstream_provider_shared_pool'], gives: SITE_CAPACITY },
  { says: /free-models-per-day/i, gives: WINDOW_SPENT },
  { says: /free-models-per-min/i, gives: verdict('rate_limit') },
  // The cap belongs to the key; one that names a day, week or month is lifted by the calendar.
  { says: /^Key limit exceeded \((?:daily|weekly|monthly)/i, gives: WINDOW_SPENT },
  { says: /^Key limit exceeded|insufficient credits/i, gives: MONEY_WALL },
  { says: /requires moderation|input was flagged/i, gives: verdict('content_filter') },
  { says: /limited to \d+ requests per minute/i, gives: verdict('rate_limit', { scope: 'model' }) },
  { says: /is not a valid model ID/i, gives: MODEL_GONE },
  { codes: ['provider_overloaded', 'provider_unavailable'], gives: verdict('overloaded') },
  { says: /no available model provider|No instances available/i, gives: verdict('overloaded') },
  { says: /Reasoning is mandatory/i, gives: verdict('unsupported_param', { scope: 'model' }) },
  { codes: ['server_error'], gives: MODEL_FAULT },
  // OpenRouter itself is well: one of the hosts behind this model is not.
  {
    says: /^Provider (?:returned error|disconnected)|^Upstream error/i,
    status: [500, 502, 520],
    gives: MODEL_FAULT,
  },
]

/** https://github.com/pollinations/pollinations: four meanings of 402. */
export const POLLINATIONS_CODES: readonly CodeRule[] = [
  { says: /^Queue full for IP/i, gives: verdict('rate_limit') },
  { says: /tier not high enough|requires? .{0,20}tier/i, gives: NO_ACCESS },
  { says: /paid balance|budget exhausted|top up or create/i, gives: MONEY_WALL },
  // Tier balance is refilled by the hour.
  { says: /^Insufficient balance/i, gives: WINDOW_SPENT },
]

/** https://opencode.ai/docs/zen; the type decides, 401 is used for everything. */
export const ZEN_CODES: readonly CodeRule[] = [
  { codes: ['ModelError'], gives: MODEL_GONE },
  { codes: ['CreditsError', 'MonthlyLimitError', 'UserLimitError'], gives: MONEY_WALL },
  { codes: ['FreeUsageLimitError'], gives: verdict('quota_exhausted', { scope: 'model' }) },
  {
    codes: ['GoUsageLimitError', 'SubscriptionUsageLimitError', 'BlackUsageLimitError'],
    gives: WINDOW_SPENT,
  },
  { codes: ['AuthError'], gives: verdict('auth') },
  { codes: ['MissingSessionID'], gives: verdict('permission', { scope: 'key' }) },
]

/** https://kilo.ai: works without any key, for its free models only. */
export const KILO_CODES: readonly CodeRule[] = [{ codes: ['PAID_MODEL_AUTH_REQUIRED'], gives: NO_ACCESS }]

/** https://docs.litellm.ai/docs/proxy/error_diagnosis; what follows the class name is the upstream's text. */
export const LITELLM_CODES: readonly CodeRule[] = [
  { codes: ['budget_exceeded'], gives: MONEY_WALL },
  {
    codes: ['key_model_access_denied', 'team_model_access_denied', 'user_model_access_denied'],
    gives: NO_ACCESS,
  },
  { says: /^(?:\S{1,60}: )?Invalid model name passed in/i, gives: MODEL_GONE },
  { says: /No deployments available/i, gives: SITE_CAPACITY },
  { says: /ContentPolicyViolationError/, gives: verdict('content_filter') },
  { says: /ContextWindowExceededError/, gives: verdict('context_length') },
]
