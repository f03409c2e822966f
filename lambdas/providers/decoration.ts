/**
 * Fields that change nothing of the answer. Where an endpoint refuses one, it is asked without; every other field is
 * what the client wants the answer to be like, and is never left out.
 */
export const DECORATION: ReadonlySet<string> = new Set([
  'store',
  'metadata',
  'user',
  'parallel_tool_calls',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'stream_options',
  'prediction',
])
