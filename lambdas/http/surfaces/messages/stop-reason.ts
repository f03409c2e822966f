import { finishKindOf } from '../../../core/answers/finish-reasons.ts'
import type { Json, JsonObject } from '../../../core/json.ts'

/** How an answer ended, in this API's words. */
export type Stop = { stop_reason: string; stop_sequence: string | null }

/** The client's own sequence at which the model stopped, where the host names it: vLLM and SGLang do. */
function stopSequenceOf(
  { stop_reason: reason, matched_stop: matched }: JsonObject,
  { stop_sequences }: JsonObject,
) {
  const sequences: readonly Json[] = Array.isArray(stop_sequences) ? stop_sequences : []
  return [reason, matched].find(value => typeof value === 'string' && sequences.includes(value))
}

/**
 * @param choice the last one of the answer that carries a finish reason; empty where its stream ended without one, but
 *   in good order
 */
export function stopOf(choice: JsonObject, native: JsonObject, hasCalls: boolean): Stop {
  const finish = typeof choice.finish_reason === 'string' ? choice.finish_reason : 'stop'
  const kind = finishKindOf(finish)
  const ended = (reason: string): Stop => ({ stop_reason: reason, stop_sequence: null })
  if (kind === 'length') return ended('max_tokens')
  if (kind === 'filter') return ended('refusal')
  // Passed on, because it is anything but a proper end.
  if (kind === 'other') return ended(finish)
  if (hasCalls) return ended('tool_use')
  const sequence = stopSequenceOf(choice, native)
  return typeof sequence === 'string'
    ? { stop_reason: 'stop_sequence', stop_sequence: sequence }
    : ended('end_turn')
}
