import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'

const count = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)
const detail = (details: Json | undefined, name: string): number =>
  isJsonObject(details) ? count(details[name]) : 0

/** Usage in this API's words; zeros where the upstream told nothing, because clients add it up unasked. */
export function responseUsage(usage: Json | undefined): JsonObject {
  const told = isJsonObject(usage) ? usage : {}
  const input = count(told.prompt_tokens)
  const output = count(told.completion_tokens)
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: detail(told.prompt_tokens_details, 'cached_tokens'),
      cache_write_tokens: detail(told.prompt_tokens_details, 'cache_write_tokens'),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: detail(told.completion_tokens_details, 'reasoning_tokens') },
    total_tokens: count(told.total_tokens) || input + output,
    ...(typeof told.cost === 'number' ? { cost: told.cost } : {}),
  }
}
