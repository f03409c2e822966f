import { isJsonObject } from '../core/json.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Quirks } from './provider-row.ts'
import { withoutFields } from './without-fields.ts'

type Step = (message: JsonObject, quirks: Quirks) => JsonObject

const STEPS: readonly Step[] = [fitRole, dropEmptyTexts, joinTextParts]
const ASSISTANT_STEPS: readonly Step[] = [dropMessageFields, fillReasoning, fitToolCalls, fitToolCallContent]

/** OpenAI's own client replays them although they say nothing, and hosts that check their input refuse them. */
const OFTEN_EMPTY = ['refusal', 'annotations', 'audio', 'function_call']

/**
 * One message of the history as the endpoint understands it, so that a conversation can move between
 * providers: what was not said by an assistant is left alone but for the role and the form of its text.
 */
export function fitMessage(message: Json, quirks: Quirks): Json {
  if (!isJsonObject(message)) return message
  const steps = message['role'] === 'assistant' ? [...STEPS, ...ASSISTANT_STEPS] : STEPS
  return steps.reduce<JsonObject>((fitted, step) => step(fitted, quirks), message)
}

function fitRole(message: JsonObject, { developerRole }: Quirks): JsonObject {
  return message['role'] === 'developer' && developerRole === 'system'
    ? { ...message, role: 'system' }
    : message
}

const isEmptyText = (part: Json): boolean =>
  isJsonObject(part) && part['type'] === 'text' && (part['text'] === '' || part['text'] === null)

/** A message is never left without content, unless it calls tools. */
function dropEmptyTexts(message: JsonObject, { emptyTexts }: Quirks): JsonObject {
  const parts = message['content']
  if (emptyTexts === 'keep') return message
  if (parts === '' && callsTools(message)) return { ...message, content: null }
  if (!Array.isArray(parts)) return message
  const telling = parts.filter(part => !isEmptyText(part))
  if (telling.length === parts.length) return message
  if (telling.length > 0) return { ...message, content: telling }
  return callsTools(message) ? { ...message, content: null } : message
}

function joinTextParts(message: JsonObject, { joinsTextParts }: Quirks): JsonObject {
  const parts = message['content']
  if (!joinsTextParts || !Array.isArray(parts)) return message
  const texts = parts.map(part => (isJsonObject(part) && part['type'] === 'text' ? part['text'] : undefined))
  return texts.every(text => typeof text === 'string') ? { ...message, content: texts.join('\n') } : message
}

function dropMessageFields(message: JsonObject, { droppedMessageFields }: Quirks): JsonObject {
  if (droppedMessageFields.length === 0) return message
  const empty = OFTEN_EMPTY.filter(name => isEmpty(message[name]))
  return withoutFields(message, [...droppedMessageFields, ...empty])
}

function fillReasoning(message: JsonObject, { missingReasoning }: Quirks): JsonObject {
  if (missingReasoning === null || !callsTools(message)) return message
  const reasoning = message['reasoning_content'] || message['reasoning']
  return { ...message, reasoning_content: reasoning || missingReasoning }
}

function fitToolCalls(message: JsonObject, quirks: Quirks): JsonObject {
  const calls = message['tool_calls']
  if (!Array.isArray(calls)) return message
  const { droppedToolCallFields, missingThoughtSignature } = quirks
  const fitted = calls.map((call: Json, index) => {
    if (!isJsonObject(call)) return call
    const kept = withoutFields(call, droppedToolCallFields)
    // Of calls made side by side only the first is signed.
    return missingThoughtSignature !== null && index === 0 ? sign(kept, missingThoughtSignature) : kept
  })
  return { ...message, tool_calls: fitted }
}

function sign(call: JsonObject, signature: string): JsonObject {
  const extra = isJsonObject(call['extra_content']) ? call['extra_content'] : {}
  const google = isJsonObject(extra['google']) ? extra['google'] : {}
  const signed = { ...google, thought_signature: google['thought_signature'] ?? signature }
  return { ...call, extra_content: { ...extra, google: signed } }
}

function fitToolCallContent(message: JsonObject, { toolCallContent }: Quirks): JsonObject {
  if (toolCallContent === 'keep' || !callsTools(message)) return message
  if (toolCallContent !== 'none' && !isBlank(message['content'])) return message
  return { ...message, content: toolCallContent === 'null' ? null : '' }
}

const callsTools = ({ tool_calls: calls }: JsonObject): boolean => Array.isArray(calls) && calls.length > 0

const isBlank = (content: Json | undefined): boolean =>
  content === undefined || content === null || content === ''

const isEmpty = (value: Json | undefined): boolean =>
  value === null || (Array.isArray(value) && value.length === 0)
