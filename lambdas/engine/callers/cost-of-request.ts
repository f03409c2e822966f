import type { RequestCost } from '../../core/callers/limit-states.ts'
import type { ChatRequest } from '../../core/chat-request.ts'
import { dollarsFor } from '../../core/cost.ts'
import type { Chain } from '../../core/endpoint.ts'
import { mostOutputTokens } from '../../core/tokens/estimate-output-tokens.ts'

/** The output that is reserved for a request until its own is counted. */
const USUAL_OUTPUT = 256

/** What a request will take of its caller's limits, by estimate: its prompt and a short answer, at the chain's first known price. */
export function costOfRequest(
  { promptTokens, body, kind }: Pick<ChatRequest, 'promptTokens' | 'body' | 'kind'>,
  { tiers }: Pick<Chain, 'tiers'>,
): RequestCost {
  const completionTokens = kind === 'embeddings' ? 0 : Math.min(USUAL_OUTPUT, mostOutputTokens(body))
  const price = tiers.flat().find(endpoint => endpoint.price !== null)?.price ?? null
  return {
    promptTokens,
    tokens: promptTokens + completionTokens,
    dollars: price === null ? 0 : dollarsFor({ promptTokens, completionTokens }, price),
  }
}
