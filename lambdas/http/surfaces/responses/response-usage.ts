import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { estimateTextTokens } from '../../../core/tokens/estimate-text-tokens.ts'

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, one) => sum + one, 0)
const count = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)
const detail = (details: Json | undefined, name: string): number =>
  isJsonObject(details) ? count(details[name]) : 0

/**
 * Usage in this API's words. Estimates where the upstream told nothing: clients add it up unasked, and agents compact
 * their history by it, which they never would by zeros.
 * @param said the texts of the answer, looked at where nothing is told
 */
export function responseUsage(
  usage: Json | undefined,
  promptTokens: number,
  said: () => readonly string[],
): JsonObject {
  const told = isJsonObject(usage) ? usage : {}
  const input = count(told.prompt_tokens) || promptTokens
  const output = count(told.completion_tokens) || Math.ceil(sumOf(said().map(estimateTextTokens)))
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
