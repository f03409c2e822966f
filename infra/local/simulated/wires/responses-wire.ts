import type { JsonObject } from '../../../../lambdas/core/json.ts'
import { translateRequest } from '../../../../lambdas/http/surfaces/responses/request/translate-request.ts'
import { unfoldResponse } from '../../../../lambdas/wires/unfold-response.ts'
import type { SimulatedWire, WireInput } from './simulated-wire.ts'
import { splitEvents } from './split-events.ts'

function outputItem({ answer, now }: WireInput): JsonObject {
  const { toolCall, finishReason, pieces } = answer
  const status = finishReason === 'length' ? 'incomplete' : 'completed'
  if (toolCall) {
    const { id, name, arguments: args } = toolCall
    return { id: `fc_simulated-${now}`, type: 'function_call', status, call_id: id, name, arguments: args }
  }
  const content = [{ type: 'output_text', annotations: [], logprobs: [], text: pieces.join('') }]
  return { id: `msg_simulated-${now}`, type: 'message', status, role: 'assistant', content }
}

function whole(input: WireInput): JsonObject {
  const { answer, model, now } = input
  const isCutShort = answer.finishReason === 'length'
  return {
    id: `resp_simulated-${now}`,
    object: 'response',
    created_at: Math.floor(now / 1_000),
    status: isCutShort ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isCutShort ? { reason: 'max_output_tokens' } : null,
    model,
    output: [outputItem(input)],
    parallel_tool_calls: true,
    tools: [],
    usage: {
      input_tokens: answer.usage.prompt_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: answer.usage.completion_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: answer.usage.total_tokens,
    },
  }
}

/** OpenAI's Responses API. */
export const responsesWire: SimulatedWire = {
  read: request => translateRequest(request).body,
  whole,
  events(input) {
    const { pieces, toolCall } = input.answer
    const deltas = {
      isDelta: ({ type }: JsonObject) => String(type).endsWith('.delta'),
      spread: (delta: JsonObject) => (toolCall ? [delta] : pieces.map(piece => ({ ...delta, delta: piece }))),
    }
    const numbered = (events: readonly JsonObject[]) =>
      events.map((event, sequence_number) => ({ ...event, sequence_number }))
    return splitEvents(unfoldResponse(whole(input)), deltas, numbered)
  },
}
