import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'

const count = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)
const detail = (details: Json | undefined, name: string): number =>
  isJsonObject(details) ? count(details[name]) : 0

/** What is known of an answer's size where its upstream tells nothing. */
export type EstimatedUsage = { promptTokens: number; outputTokens: number }

/**
 * Usage in this API's words, in which what came from a cache is not part of the input. Estimates where the upstream
 * told nothing: agents compact their history by these numbers, and never would by zeros.
 */
export function messageUsage(
  usage: Json | undefined,
  { promptTokens, outputTokens }: EstimatedUsage,
): JsonObject {
  const told: JsonObject = isJsonObject(usage) ? usage : {}
  const { prompt_tokens_details: prompted, completion_tokens_details: completed } = told
  const read = detail(prompted, 'cached_tokens')
  const written = detail(prompted, 'cache_write_tokens')
  const prompt = count(told.prompt_tokens)
  const thinking = detail(completed, 'reasoning_tokens')
  return {
    input_tokens: prompt === 0 ? promptTokens : Math.max(0, prompt - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: count(told.completion_tokens) || Math.ceil(outputTokens),
    ...(typeof told.cost === 'number' ? { cost: told.cost } : {}),
    ...(thinking > 0 ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
  }
}
