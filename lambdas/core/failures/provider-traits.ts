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

const PER_MODEL: ProviderTraits = { limitScope: 'model' }
/** Midnight Pacific; in summer an hour late, which costs less than an hour too early. */
const GOOGLE: ProviderTraits = { limitScope: 'model', quotaResetHour: 8 }
const MIDNIGHT_UTC: ProviderTraits = { quotaResetHour: 0 }
const SELF_HOSTED: ProviderTraits = { selfHosted: true }
const BEIJING: ProviderTraits = { zone: '+08:00' }
const UNKNOWN: ProviderTraits = {}

const TRAITS: ReadonlyMap<string, ProviderTraits> = new Map([
  ['openai', PER_MODEL],
  ['azure-openai', PER_MODEL],
  ['azure', PER_MODEL],
  ['gemini', GOOGLE],
  ['google', GOOGLE],
  ['openrouter', MIDNIGHT_UTC],
  ['cloudflare', MIDNIGHT_UTC],
  ['groq', { limitScope: 'model', requestsCountDays: true }],
  ['cerebras', PER_MODEL],
  ['sambanova', PER_MODEL],
  ['dashscope', PER_MODEL],
  ['dashscope-intl', PER_MODEL],
  ['together', PER_MODEL],
  ['bedrock', PER_MODEL],
  ['github-models', PER_MODEL],
  ['zai', BEIJING],
  ['zhipu', BEIJING],
  ['vllm', SELF_HOSTED],
  ['ollama', SELF_HOSTED],
  ['llama.cpp', SELF_HOSTED],
  ['lmstudio', SELF_HOSTED],
])

/** The traits of a provider; none for one that is not in the table. */
export function traitsOf(provider: string): ProviderTraits {
  return TRAITS.get(provider) ?? UNKNOWN
}
