import { isJsonObject } from '../json.ts'

/** Tokens as the upstream counted them. */
export type Usage = {
  promptTokens: number
  completionTokens: number
  totalTokens: number
  /** Of the prompt, what came from the host's cache; absent = none, or not told. */
  cachedTokens?: number
  /** The upstream's own figure in dollars, where it tells one: OpenRouter's and its like. */
  dollars?: number
}

const MOST_TOKENS = 1e12

/** A count that makes no sense counts as none: sums of counts must stay finite. */
const count = (value: unknown): number =>
  typeof value === 'number' && value >= 0 && value <= MOST_TOKENS ? value : 0

/**
 * The cost that usage tells, in dollars; undefined where it is no amount, such as -1 or a text.
 * https://openrouter.ai/docs/use-cases/usage-accounting; Perplexity tells an object with its total.
 */
export function readDollars(cost: unknown): number | undefined {
  const told = isJsonObject(cost) ? cost.total_cost : cost
  return typeof told === 'number' && told >= 0 && told <= MOST_TOKENS ? told : undefined
}

/** Usage in OpenAI's shape, or null where the value holds none; a missing total is the sum of the parts. */
export function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null
  const promptTokens = count(value.prompt_tokens)
  const completionTokens = count(value.completion_tokens)
  const totalTokens = count(value.total_tokens) || promptTokens + completionTokens
  if (totalTokens === 0) return null
  const details = value.prompt_tokens_details
  const cachedTokens = Math.min(promptTokens, isJsonObject(details) ? count(details.cached_tokens) : 0)
  const dollars = readDollars(value.cost)
  return {
    promptTokens,
    completionTokens,
    totalTokens,
    ...(cachedTokens > 0 ? { cachedTokens } : {}),
    ...(dollars === undefined ? {} : { dollars }),
  }
}
