import type { JsonObject } from '../../../../core/json.ts'
import type { ClientWays } from '../client-ways.ts'

/** How an answer ended, in this API's words. */
export type ResponseEnding = {
  status: 'completed' | 'incomplete' | 'failed'
  error: JsonObject | null
  incomplete_details: JsonObject | null
}

const GOOD = new Set([
  'stop',
  'end_turn',
  'stop_sequence',
  'eos',
  'eos_token',
  'complete',
  'tool_calls',
  'tool_use',
  'function_call',
])
const LENGTH = new Set(['length', 'max_tokens', 'model_length', 'max_output_tokens'])
const FILTER = new Set(['content_filter', 'safety', 'recitation', 'prohibited_content', 'refusal'])

const incomplete = (reason: string): ResponseEnding => ({
  status: 'incomplete',
  error: null,
  incomplete_details: { reason },
})

export const failedEnding = (error: JsonObject): ResponseEnding => ({
  status: 'failed',
  error,
  incomplete_details: null,
})

/** @param finish null where the upstream ended its stream without a reason, but in good order */
export function endingOf(finish: string | null, { isCodex }: ClientWays): ResponseEnding {
  const said = finish?.toLowerCase() ?? 'stop'
  if (GOOD.has(said)) return { status: 'completed', error: null, incomplete_details: null }
  if (LENGTH.has(said)) return incomplete('max_output_tokens')
  if (!FILTER.has(said)) {
    const message = `The model ended its answer with '${said}', which is no proper end.`
    return failedEnding({ code: 'server_error', message })
  }
  if (!isCodex) return incomplete('content_filter')
  // Codex asks six times more after any other ending by a content filter.
  const message =
    "The provider's content filter ended the answer. Change the request before sending it again."
  return failedEnding({ code: 'invalid_prompt', message })
}
