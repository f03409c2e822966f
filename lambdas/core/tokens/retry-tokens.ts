import type { Usage } from '../answers/usage.ts'

/** What bounds the retries of one request, in tokens. */
export type RetryLimit = {
  /** What one more attempt costs at least, by estimate: its prompt. */
  promptTokens: number
  /** What all attempts after the first may cost together. */
  budget: number
}

/** What was left of an attempt that failed. */
type Remains = {
  /** HTTP status of the upstream; null where no response came. */
  status: number | null
  /** As the upstream counted, where it did. */
  usage: Usage | null
  /** Estimated from the output that came. */
  outputTokens: number
}

/** A failure at most doubles what a request costs, but for short prompts. */
const LEAST_DERIVED = 8_000

/** What retries may cost: as configured (0 = derived from the prompt), and less where the client asks for less. */
export function retryBudget(configured: number, promptTokens: number, asked: number | null): number {
  const budget = configured > 0 ? configured : Math.max(LEAST_DERIVED, promptTokens)
  return asked === null ? budget : Math.min(budget, asked)
}

/** What a failed attempt cost. Before its 200 nothing was billed: a refusal is free. */
export function failedUsage({ status, usage, outputTokens }: Remains, promptTokens: number): Usage {
  if (status === null || status < 200 || status > 299) return NOTHING
  return usage ?? estimatedUsage(promptTokens, outputTokens)
}

const NOTHING: Usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 }

/** Usage that nobody has counted. */
export function estimatedUsage(promptTokens: number, outputTokens: number): Usage {
  const completionTokens = Math.ceil(outputTokens)
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens }
}

/** What the failed attempts after the first have cost: the first one is the client's own spend. */
export const spentOnRetries = (failed: readonly { tokens: number }[]): number =>
  failed.slice(1).reduce((sum, { tokens }) => sum + tokens, 0)

/** Whether the prompt of one more attempt still fits. */
export const affordsRetry = (failed: readonly { tokens: number }[], limit: RetryLimit): boolean =>
  spentOnRetries(failed) + limit.promptTokens <= limit.budget
