import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'

const isFilled = (input: Json | undefined): input is JsonObject =>
  isJsonObject(input) && Object.keys(input).length > 0

/**
 * Reads the events of one message in order, and gives those that stand missing before each. Clients ignore the input
 * with which a call begins, so that a host which sends it there, and no deltas, would have its call run without any.
 */
export function createMissingInput(): (event: JsonObject) => readonly JsonObject[] {
  let begun: JsonObject | null = null
  return ({ type, index, content_block: block, delta }) => {
    if (type === 'content_block_start') {
      begun = isJsonObject(block) && block.type === 'tool_use' && isFilled(block.input) ? block.input : null
    }
    const isPiece = isJsonObject(delta) && delta.type === 'input_json_delta' && delta.partial_json !== ''
    if (type === 'content_block_delta' && isPiece) begun = null
    if (type !== 'content_block_stop' || begun === null || index === undefined) return []
    const missing: JsonObject = { type: 'input_json_delta', partial_json: JSON.stringify(begun) }
    begun = null
    return [{ type: 'content_block_delta', index, delta: missing }]
  }
}
