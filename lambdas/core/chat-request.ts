import type { Needs } from './capabilities.ts'
import type { JsonObject } from './json.ts'
import type { ToolRound } from './routing/tool-round.ts'

/** A chat request after parsing: the client's own body, untouched, and what the gateway read from it. */
export type ChatRequest = {
  id: string
  alias: string
  body: JsonObject
  stream: boolean
  /** The client asked for usage in its stream. */
  includeUsage: boolean
  /** The client asked to hold the answer until it is complete. */
  buffer: boolean
  /** False: only the first endpoint of the plan may be asked. */
  fallback: boolean
  dryRun: boolean
  needs: Needs
  /** Estimated prompt tokens. */
  promptTokens: number
  /** What the client lets its retries cost, in tokens; null = as configured. */
  retryTokenBudget: number | null
  toolRound: ToolRound
}
