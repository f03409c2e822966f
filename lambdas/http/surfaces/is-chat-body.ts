import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { ChatBody } from './chat-schema.ts'

const isAbsent = (value: Json | undefined): boolean => value === undefined || value === null
const isText = (value: Json | undefined): boolean => typeof value === 'string'
const areObjects = (list: Json | undefined): boolean => Array.isArray(list) && list.every(isJsonObject)
const isCount = (value: Json | undefined): boolean => Number.isSafeInteger(value) && Number(value) > 0

const isMessage = (message: Json): boolean =>
  isJsonObject(message) &&
  isText(message.role) &&
  (isText(message.content) || isAbsent(message.content) || areObjects(message.content)) &&
  (isAbsent(message.tool_calls) || areObjects(message.tool_calls)) &&
  (isAbsent(message.tool_call_id) || isText(message.tool_call_id))

const COUNTS = ['n', 'max_tokens', 'max_completion_tokens'] as const
const NUMBERS = ['temperature', 'top_p'] as const
const LISTS = ['tools', 'functions'] as const

const isStreamOptions = (options: Json | undefined): boolean =>
  isJsonObject(options) && (isAbsent(options.include_usage) || typeof options.include_usage === 'boolean')
const isFormat = (format: Json | undefined): boolean => isJsonObject(format) && isText(format.type)
const areTexts = (list: Json | undefined): boolean => Array.isArray(list) && list.every(isText)

/**
 * Whether `chatSchema` is certain to find nothing wrong with a body, as with nearly every one: the schema, which copies
 * each message, is then only needed to say what is wrong.
 */
export function isChatBody(body: JsonObject): body is JsonObject & ChatBody {
  const { model, messages, stream } = body
  return (
    isText(model) &&
    model !== '' &&
    Array.isArray(messages) &&
    messages.length > 0 &&
    messages.every(isMessage) &&
    (isAbsent(stream) || typeof stream === 'boolean') &&
    COUNTS.every(name => isAbsent(body[name]) || isCount(body[name])) &&
    NUMBERS.every(name => isAbsent(body[name]) || Number.isFinite(body[name])) &&
    LISTS.every(name => isAbsent(body[name]) || areObjects(body[name])) &&
    (isAbsent(body.stream_options) || isStreamOptions(body.stream_options)) &&
    (isAbsent(body.response_format) || isFormat(body.response_format)) &&
    (isAbsent(body.stop) || isText(body.stop) || areTexts(body.stop))
  )
}
