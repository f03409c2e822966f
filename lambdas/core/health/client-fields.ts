import type { JsonObject } from '../json.ts'
import type { Failure } from '../failures/failure.ts'
import { KINDS } from '../failures/kinds.ts'

/** The chat API's own request fields: https://platform.openai.com/docs/api-reference/chat/create */
const CHAT_FIELDS: ReadonlySet<string> = new Set([
  'audio',
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'metadata',
  'modalities',
  'model',
  'n',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
])

/** Fields with which a client chooses among hosts, tiers and tools of its own: whatever then fails may be its choice. */
const CHOOSING_FIELDS: ReadonlySet<string> = new Set([
  'provider',
  'models',
  'route',
  'transforms',
  'plugins',
  'service_tier',
])

/** What a request holds beside the chat API: fields that choose, others, or nothing. */
export type OwnFields = 'choosing' | 'other' | null

export function ownFieldsOf(body: JsonObject): OwnFields {
  const own = Object.keys(body).filter(name => body[name] !== undefined && !CHAT_FIELDS.has(name))
  if (own.length === 0) return null
  return own.some(name => CHOOSING_FIELDS.has(name)) ? 'choosing' : 'other'
}

/**
 * Whether the client's own fields may have caused a failure: it then says nothing of the endpoint to anybody else. No
 * field makes a host unreachable, a key wrong or an account empty; and only those that choose make a model disappear.
 */
export function mayBeOfOwnFields(
  { kind, status, structural, class: gives }: Failure,
  own: OwnFields,
): boolean {
  if (own === null || status === null || KINDS[kind].network || kind === 'auth') return false
  if (kind === 'quota_exhausted' && gives === 'non_retryable') return false
  return own === 'choosing' || (status >= 400 && status < 500 && !structural)
}
