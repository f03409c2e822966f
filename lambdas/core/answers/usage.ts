import { isJsonObject } from '../json.ts'

/** Tokens as the upstream counted them. */
export type Usage = { promptTokens: number; completionTokens: number; totalTokens: number }

const MOST_TOKENS = 1e12

/** A count that makes no sense counts as none: sums of counts must stay finite. */
const count = (value: unknown): number =>
  typeof value === 'number' && value >= 0 && value <= MOST_TOKENS ? value : 0

/** Usage in OpenAI's shape, or null where the value holds none; a missing total is the sum of the parts. */
export function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null
  const promptTokens = count(value.prompt_tokens)
  const completionTokens = count(value.completion_tokens)
  const totalTokens = count(value.total_tokens) || promptTokens + completionTokens
  return totalTokens > 0 ? { promptTokens, completionTokens, totalTokens } : null
}
