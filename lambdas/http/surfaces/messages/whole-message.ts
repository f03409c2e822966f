import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { parseExact } from '../../../core/exact-json.ts'
import { estimateTextTokens } from '../../../core/tokens/estimate-text-tokens.ts'
import { reasoningOf } from '../translation/reasoning-of.ts'
import { messageObject, type AnswerHead } from './answer-head.ts'
import { messageUsage } from './message-usage.ts'
import { stopOf } from './stop-reason.ts'
import { stringOf } from './translate-blocks.ts'

/** Arguments as the object that this API wants; what is none is shown as the text that it is, so that no tool runs by it. */
function inputOf(text: string): JsonObject {
  if (text.trim() === '') return {}
  try {
    const input = parseExact(text)
    if (isJsonObject(input)) return input
  } catch {
    // Told below.
  }
  return { INVALID_JSON: text }
}

function callBlock(call: JsonObject, index: number, { names, callId }: AnswerHead): readonly JsonObject[] {
  if (!isJsonObject(call.function)) return []
  const { name, arguments: args } = call.function
  return [
    {
      type: 'tool_use',
      id: stringOf(call.id) || callId(index),
      name: names.nameOf(stringOf(name)),
      input: inputOf(stringOf(args)),
    },
  ]
}

const callsOf = (calls: Json | undefined): readonly JsonObject[] =>
  Array.isArray(calls) ? calls.filter(isJsonObject) : []

/** One chat completion as the answer of a request that was not streamed. */
export function wholeMessage({ choices, usage }: JsonObject, head: AnswerHead): JsonObject {
  const [first] = Array.isArray(choices) ? choices : []
  const choice: JsonObject = isJsonObject(first) ? first : {}
  const message: JsonObject = isJsonObject(choice.message) ? choice.message : {}
  const thought = reasoningOf(message)
  const texts = [message.content, message.refusal].map(stringOf).filter(text => text !== '')
  const calls = callsOf(message.tool_calls)
  const content = [
    ...(thought !== '' && head.showsThinking ? [{ type: 'thinking', thinking: thought, signature: '' }] : []),
    ...texts.map(text => ({ type: 'text', text, citations: null })),
    ...calls.flatMap((call, index) => callBlock(call, index, head)),
  ]
  const outputTokens = estimateTextTokens(thought + JSON.stringify(content))
  return messageObject(head, {
    content,
    ...stopOf(choice, head.native, calls.length > 0),
    usage: messageUsage(usage, { promptTokens: head.promptTokens, outputTokens }),
  })
}
