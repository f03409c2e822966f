import { parseJsonObject, type JsonObject } from '../../../../lambdas/core/json.ts'
import { translateMessages } from '../../../../lambdas/http/surfaces/messages/translate-request.ts'
import { unfoldMessage } from '../../../../lambdas/wires/unfold-message.ts'
import type { SimulatedWire, WireInput } from './simulated-wire.ts'
import { splitEvents } from './split-events.ts'

const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const

function blockOf({ answer: { toolCall, pieces } }: WireInput): JsonObject {
  if (!toolCall) return { type: 'text', text: pieces.join('') }
  const { id, name, arguments: args } = toolCall
  return { type: 'tool_use', id, name, input: parseJsonObject(args) ?? {} }
}

function whole(input: WireInput): JsonObject {
  const { answer, model, now } = input
  return {
    id: `msg_simulated-${now}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [blockOf(input)],
    stop_reason: STOP_REASONS[answer.finishReason],
    stop_sequence: null,
    usage: { input_tokens: answer.usage.prompt_tokens, output_tokens: answer.usage.completion_tokens },
  }
}

/** Anthropic's Messages API. */
export const messagesWire: SimulatedWire = {
  read: request => translateMessages(request).body,
  whole,
  events(input) {
    const { pieces, toolCall } = input.answer
    return splitEvents(unfoldMessage(whole(input)), {
      isDelta: ({ type }) => type === 'content_block_delta',
      spread: event =>
        toolCall ? [event] : pieces.map(text => ({ ...event, delta: { type: 'text_delta', text } })),
    })
  },
}
