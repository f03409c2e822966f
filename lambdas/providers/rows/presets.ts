import { verdict } from '../../core/failures/verdict.ts'
import type { Quirks, RowSource, Wire } from '../provider-row.ts'

/** Only OpenAI acts on these; a host that checks its input refuses them. */
export const OPENAI_ONLY = [
  'store',
  'metadata',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'prediction',
]
export const REASONING = ['reasoning_content', 'reasoning', 'reasoning_details']

export const NO_REASONING = { droppedMessageFields: REASONING, droppedToolCallFields: ['extra_content'] }
export const STRICT = { droppedFields: [...OPENAI_ONLY, 'service_tier'], ...NO_REASONING }
export const MAX_TOKENS = {
  renamedFields: [['max_completion_tokens', 'max_tokens']],
} satisfies Partial<Quirks>

/** The first request loads the model from disk. */
export const LOCAL = {
  needsKey: false,
  timeouts: { connectMs: 1_000, firstOutputMs: 30_000 },
} satisfies RowSource

/** Beside the chat completions, under the same base URL and key. */
export const RESPONSES: Wire = { path: 'responses', authentication: 'bearer', stateful: false }
export const STATEFUL_RESPONSES: Wire = { ...RESPONSES, stateful: true }
export const MESSAGES: Wire = { path: 'messages', authentication: 'bearer', stateful: false }

/** Messages elsewhere on the same host. */
export const messagesAt = (path: string, rest: Partial<Wire> = {}): Wire => ({
  path,
  authentication: { header: 'x-api-key' },
  stateful: false,
  ...rest,
})

export const AUTH = verdict('auth')
export const NO_ACCESS = verdict('permission')
export const KEY_MAY_NOT = verdict('permission', { scope: 'key' })
export const MODEL_GONE = verdict('model_not_found')
export const MODEL_DOWN = verdict('model_unavailable')
export const WRONG_PATH = verdict('model_not_found', { scope: 'endpoint' })
export const OVERLOADED = verdict('overloaded')
export const SITE_CAPACITY = verdict('site_capacity')
export const KEY_LIMIT = verdict('rate_limit', { scope: 'key' })
export const MODEL_LIMIT = verdict('rate_limit')
export const WINDOW_SPENT = verdict('quota_exhausted')
export const MODEL_WINDOW_SPENT = verdict('quota_exhausted', { scope: 'model' })
export const CONTENT_FILTER = verdict('content_filter')
export const CONTEXT = verdict('context_length')
export const FIELD_REFUSED = verdict('unsupported_param')
export const MODEL_FIELD_REFUSED = verdict('unsupported_param', { scope: 'model' })
export const LOADING = verdict('loading')
export const MODEL_TIMEOUT = verdict('timeout', { scope: 'model' })
export const MODEL_FAULT = verdict('server_error', { scope: 'model' })
