import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== ''

/** What of a block comes as deltas, and how it begins without that; a block of another kind begins whole. */
function splitBlock(block: JsonObject): { begun: JsonObject; deltas: readonly JsonObject[] } {
  const { type, text, citations, thinking, signature, input } = block
  if (type === 'text') {
    const cited = Array.isArray(citations) ? citations : []
    return {
      begun: { ...block, text: '', ...(cited.length > 0 ? { citations: [] } : {}) },
      deltas: [
        ...(isText(text) ? [{ type: 'text_delta', text }] : []),
        ...cited.map((citation): JsonObject => ({ type: 'citations_delta', citation })),
      ],
    }
  }
  if (type === 'thinking') {
    return {
      begun: { ...block, thinking: '', signature: '' },
      deltas: [
        ...(isText(thinking) ? [{ type: 'thinking_delta', thinking }] : []),
        ...(isText(signature) ? [{ type: 'signature_delta', signature }] : []),
      ],
    }
  }
  if (type !== 'tool_use' && type !== 'server_tool_use') return { begun: block, deltas: [] }
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input ?? {}) }
  return { begun: { ...block, input: {} }, deltas: [delta] }
}

/** The events that add up to a message of Anthropic's API. https://docs.anthropic.com/en/api/messages-streaming */
export function unfoldMessage(message: JsonObject): readonly JsonObject[] {
  const { content, stop_reason, stop_sequence, usage } = message
  const begun: JsonObject = { ...message, content: [], stop_reason: null, stop_sequence: null }
  const blocks = (Array.isArray(content) ? content.filter(isJsonObject) : []).flatMap((block, index) => {
    const { begun: content_block, deltas } = splitBlock(block)
    return [
      { type: 'content_block_start', index, content_block },
      ...deltas.map((delta): JsonObject => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]
  })
  const delta: JsonObject = { stop_reason, stop_sequence: stop_sequence ?? null }
  return [
    { type: 'message_start', message: begun },
    ...blocks,
    { type: 'message_delta', delta, usage: usage ?? { output_tokens: 0 } },
    { type: 'message_stop' },
  ]
}
