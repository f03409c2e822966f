import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { joinContent } from './join-content.ts'
import {
  joinFields,
  joinLists,
  joinText,
  keepFirst,
  keepLast,
  objectJoin,
  type Join,
  type Joins,
} from './join-deltas.ts'
import { createToolCallRouter } from './route-tool-call.ts'

/** Some hosts send the arguments as an object; clients parse a string. */
const joinArguments: Join = (before, added) =>
  joinText(before, isJsonObject(added) ? JSON.stringify(added) : added)

const joinFunction = objectJoin({ name: keepFirst, arguments: joinArguments })

const CALL_JOINS: Joins = {
  id: keepFirst,
  type: keepFirst,
  function: joinFunction,
  custom: objectJoin({ name: keepFirst, input: joinText }),
}

const MESSAGE_JOINS: Joins = {
  role: keepFirst,
  content: joinContent,
  refusal: joinText,
  reasoning_content: joinText,
  reasoning: joinText,
  reasoning_details: joinLists,
  function_call: joinFunction,
  audio: objectJoin({ id: keepFirst, data: joinText, transcript: joinText }),
  annotations: joinLists,
  images: joinLists,
}

const completeCall = (call: JsonObject): JsonObject => ({ ...call, type: call.type ?? 'function' })

export type MessageFold = { add(delta: JsonObject): void; message(): JsonObject }

/** Folds the deltas of one choice into its message. */
export function createMessageFold(): MessageFold {
  const route = createToolCallRouter()
  const calls: JsonObject[] = []
  let fields: JsonObject = { role: null, content: null }

  function addCall(delta: Json): void {
    if (!isJsonObject(delta)) return
    const { index: _, ...part } = delta
    const position = route(delta)
    calls[position] = joinFields(CALL_JOINS, keepLast, calls[position] ?? {}, part)
  }

  return {
    add(delta) {
      const { tool_calls: deltas, ...rest } = delta
      if (Array.isArray(deltas)) deltas.forEach(addCall)
      fields = joinFields(MESSAGE_JOINS, keepLast, fields, rest)
    },
    message() {
      const message = { ...fields, role: fields.role ?? 'assistant' }
      if (calls.length === 0) return message
      return { ...message, tool_calls: calls.map(completeCall) }
    },
  }
}
