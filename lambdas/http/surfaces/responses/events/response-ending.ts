import { finishKindOf } from '../../../../core/answers/finish-reasons.ts'
import type { JsonObject } from '../../../../core/json.ts'
import type { ClientWays } from '../client-ways.ts'

/** How an answer ended, in this API's words. */
export type ResponseEnding = {
  status: 'completed' | 'incomplete' | 'failed'
  error: JsonObject | null
  incomplete_details: JsonObject | null
}

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
  const kind = finish === null ? 'complete' : finishKindOf(finish)
  if (kind === 'complete') return { status: 'completed', error: null, incomplete_details: null }
  if (kind === 'length') return incomplete('max_output_tokens')
  if (kind === 'other') {
    const message = `The model stopped with an unexpected finish reason '${finish}'.`
    return failedEnding({ code: 'server_error', message })
  }
  if (!isCodex) return incomplete('content_filter')
  // Codex asks six times more after any other ending by a content filter.
  const message =
    "The provider's content filter ended the answer. Change the request before sending it again."
  return failedEnding({ code: 'invalid_prompt', message })
}
