import type { Path } from '../core/answers/event-template.ts'
import { isWindowFinish } from '../core/answers/finish-reasons.ts'
import { finishReasonOf, gaveUpBy } from '../core/failures/completion-fault.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { createMessageFold } from './fold-message.ts'
import { createMessageMender } from './mend-message.ts'
import type { NativeWire } from './native-wire.ts'
import { unfoldMessage } from './unfold-message.ts'

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const count = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)

const chunk = (delta: JsonObject, finish: string | null = null, more: JsonObject = {}): JsonObject => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})

/** Usage in the chat API's words, where what came from a cache is part of the prompt. */
function usageOf({ usage }: JsonObject): JsonObject {
  if (!isJsonObject(usage)) return {}
  const read = count(usage.cache_read_input_tokens)
  const prompt = count(usage.input_tokens) + read + count(usage.cache_creation_input_tokens)
  return { usage: { prompt_tokens: prompt, completion_tokens: usage.output_tokens } }
}

const FINISHES: Readonly<Record<string, string>> = {
  max_tokens: 'length',
  refusal: 'content_filter',
}
function finishOf(reason: Json | undefined): string | null {
  if (typeof reason !== 'string') return null
  return FINISHES[reason] ?? (isWindowFinish(reason) ? reason : 'stop')
}

/** What a block says. Texts and thoughts begin empty; anything else that begins is something that was done. */
function blockDelta(block: Json | undefined): JsonObject {
  if (!isJsonObject(block)) return {}
  if (block.type === 'text') return { content: text(block.text) }
  if (block.type === 'thinking') return { reasoning_content: text(block.thinking) }
  return { tool_calls: [{ index: 0, function: { name: text(block.name) || text(block.type) } }] }
}

function deltaOf(delta: Json | undefined): JsonObject {
  if (!isJsonObject(delta)) return {}
  if (delta.type === 'thinking_delta') return { reasoning_content: text(delta.thinking) }
  if (delta.type === 'input_json_delta') {
    return { tool_calls: [{ index: 0, function: { arguments: text(delta.partial_json) } }] }
  }
  return { content: text(delta.text) }
}

function readEvent(event: JsonObject): JsonObject | 'error' {
  const { type, message, delta } = event
  if (type === 'error' || isJsonObject(event.error)) return 'error'
  if (type === 'message_start') return chunk({}, null, isJsonObject(message) ? usageOf(message) : {})
  if (type === 'content_block_start') return chunk(blockDelta(event.content_block))
  if (type === 'content_block_delta') return chunk(deltaOf(delta))
  if (type !== 'message_delta') return chunk({})
  if (gaveUpBy(finishReasonOf(event)) !== null) return 'error'
  return chunk({}, isJsonObject(delta) ? finishOf(delta.stop_reason) : null, usageOf(event))
}

const PIECES: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
])

function varying({ type, delta }: JsonObject): readonly Path[] | null {
  const field = type === 'content_block_delta' && isJsonObject(delta) ? PIECES.get(delta.type) : undefined
  return field === undefined ? null : [['delta', field]]
}

function readWhole(message: JsonObject): readonly JsonObject[] | null {
  const finish = finishOf(message.stop_reason)
  if (gaveUpBy(finishReasonOf(message)) !== null) return null
  if (message.type !== 'message' || !Array.isArray(message.content) || finish === null) return null
  return [...message.content.map(block => chunk(blockDelta(block))), chunk({}, finish, usageOf(message))]
}

/** Anthropic's Messages API, as an endpoint speaks it. https://docs.anthropic.com/en/api/messages-streaming */
export const messagesWire: NativeWire = {
  // The client's own version and betas travel with its body.
  headers: {},
  readEvent,
  varying,
  readWhole,
  goesByNames: true,
  unfold: unfoldMessage,
  createMender: createMessageMender,
  createFold: createMessageFold,
  isEnd: ({ type }) => type === 'message_stop',
  // No request refers to an earlier answer.
  answerIdOf: () => null,
}
