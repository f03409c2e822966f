import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { base64, distinctList, fields, first, list, text, type ObjectAccumulator } from './accumulators.ts'
import { reasoningDetails } from '../repair/reasoning-details.ts'

const functionFields = () => fields({ name: text, arguments: text })

const CALL = {
  id: first,
  type: first,
  function: functionFields,
  custom: () => fields({ name: text, input: text }),
}

const MESSAGE = {
  role: first,
  content: text,
  refusal: text,
  reasoning_content: text,
  reasoning: text,
  reasoning_details: reasoningDetails,
  function_call: () => fields({ name: first, arguments: text }),
  audio: () => fields({ id: first, data: base64, transcript: text }),
  annotations: distinctList,
  images: list,
  content_parts: list,
}

export type MessageFold = { add(delta: JsonObject): void; message(): JsonObject }

/** Folds the normalised deltas of one choice into its message. */
export function createMessageFold(): MessageFold {
  const calls = new Map<number, ObjectAccumulator>()
  const message = fields(MESSAGE)

  function addCall(delta: Json): void {
    if (!isJsonObject(delta)) return
    const { index, ...part } = delta
    const position = typeof index === 'number' ? index : calls.size
    const call = calls.get(position) ?? fields(CALL)
    calls.set(position, call)
    call.addFields(part)
  }

  return {
    add(delta) {
      const { tool_calls: deltas, ...rest } = delta
      if (Array.isArray(deltas)) deltas.forEach(addCall)
      message.addFields(rest)
    },
    message() {
      const { role, content = null, ...rest } = message.object()
      const whole = { role: role ?? 'assistant', content, ...rest }
      if (calls.size === 0) return whole
      const inOrder = [...calls].sort(([left], [right]) => left - right)
      return { ...whole, tool_calls: inOrder.map(([, call]) => call.object()) }
    },
  }
}
