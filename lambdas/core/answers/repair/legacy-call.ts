import { isJsonObject, type JsonObject } from '../../json.ts'
import { isFilled } from './output-fields.ts'

/** A message or delta of the API before tools, with its call where a client that declared tools looks for it. */
export function withToolCall(message: JsonObject): JsonObject {
  const { function_call: called } = message
  if (!isJsonObject(called) || !isFilled(called) || isFilled(message.tool_calls)) return message
  const { function_call: _, ...rest } = message
  return { ...rest, tool_calls: [{ index: 0, function: called }] }
}
