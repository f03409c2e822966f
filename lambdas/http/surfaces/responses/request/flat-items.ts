import { isJsonObject, type Json, type JsonObject } from '../../../../core/json.ts'

/** One item of the input, and where the client wrote it. */
export type PlacedItem = { item: JsonObject; param: string }

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : []

/** What a function is told by in the chat API stands one level deeper than here. */
export function flatFunction(tool: JsonObject): JsonObject {
  const { function: nested, ...rest } = tool
  return tool.type === 'function' && tool.name === undefined && isJsonObject(nested)
    ? { ...nested, ...rest }
    : tool
}

/** Calls and results that SDKs of other APIs write into a message; everything else of it stays a message. */
function itemsOf(message: JsonObject, isItem: (type: string) => boolean): readonly JsonObject[] {
  const { content, tool_calls: calls, tool_call_id: answered, ...rest } = message
  if (message.role === 'tool' && typeof answered === 'string') {
    return [{ type: 'function_call_output', call_id: answered, output: content ?? '' }]
  }
  const turns: JsonObject[] = []
  let parts: JsonObject[] = []
  const speak = (): void => {
    if (parts.length > 0) turns.push({ ...rest, content: parts })
    parts = []
  }
  for (const part of listOf(content)) {
    if (typeof part.type !== 'string' || !isItem(part.type)) parts.push(part)
    else {
      speak()
      turns.push(part)
    }
  }
  speak()
  if (typeof content === 'string') turns.push({ ...rest, content })
  for (const { id, ...call } of listOf(calls))
    turns.push({ ...flatFunction(call), type: 'function_call', call_id: id ?? '' })
  return turns.length > 0 ? turns : [message]
}

/**
 * The items of an input, each by itself.
 * @param isItem whether a part of this type is an item where it stands in a message
 */
export function flatItems(input: Json | undefined, isItem: (type: string) => boolean): readonly PlacedItem[] {
  return listOf(input).flatMap((item, place) => {
    const param = `input[${place}]`
    const isMessage = item.type === undefined || item.type === 'message'
    return (isMessage ? itemsOf(item, isItem) : [item]).map(one => ({ item: one, param }))
  })
}
