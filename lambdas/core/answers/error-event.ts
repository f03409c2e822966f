import { gaveUpFinish } from '../failures/completion-fault.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'

/** Codes by which hosts say that all is well, beside an answer. */
const isGoodCode = (code: number): boolean => code === 0 || code === 200
const GOOD_WORD = /^(?:0+|200|ok|success(?:ful|fully)?|succeeded|none|null|false|no error)?[.!]?$/i

/** Whether an error says anything: some hosts put an empty one beside every answer. */
function saysError(value: Json | undefined): boolean {
  if (typeof value === 'number') return !isGoodCode(value)
  if (typeof value === 'string') return value !== ''
  if (Array.isArray(value)) return value.some(saysError)
  return isJsonObject(value) ? Object.values(value).some(saysError) : value === true
}

/** Names under which hosts tell of errors beside an answer, and those that stand only in its place. */
const ERROR_FIELD = /^err(?:or)?_?(?:code|msg|message|type|no)$/i
const ERROR_ALONE =
  /^(?:err|exception|fault|failure)$|(?:error|exception)$|^error_?(?:info|details?|description)$/i

const isBad = (value: Json | undefined): boolean =>
  typeof value === 'string' ? !GOOD_WORD.test(value.trim()) : saysError(value)

const namesError = (chunk: JsonObject, name: RegExp): boolean =>
  Object.keys(chunk).some(key => name.test(key) && isBad(chunk[key]))

/** MiniMax reports how it went beside the choices, or in their place. */
const isBadResponse = ({ base_resp: response }: JsonObject): boolean =>
  isJsonObject(response) && typeof response.status_code === 'number' && !isGoodCode(response.status_code)

const isFailedChoice = (choice: Json): boolean =>
  isJsonObject(choice) &&
  (saysError(choice.error) ||
    gaveUpFinish(choice) !== undefined ||
    (isJsonObject(choice.delta) && saysError(choice.delta.error)))

/** An error in place of an answer, as its host alone writes it. */
function isFlatError(event: JsonObject): boolean {
  const isFlat = [event.message, event.msg, event.Message].some(word => typeof word === 'string')
  if (isFlat || saysError(event.detail)) return true
  const { success, ok, status } = event
  const isFailed = typeof status === 'string' && /^(?:error|fail(?:ed|ure)?)$/i.test(status)
  return success === false || ok === false || isFailed || namesError(event, ERROR_ALONE)
}

/** Whether an event is an error, HTTP 200 or not: error objects and words stand in some twenty places. */
export function isErrorEvent(chunk: JsonObject): boolean {
  const { choices, x_groq: groq, code } = chunk
  if (chunk.type === 'error' || chunk.object === 'error' || isBadResponse(chunk)) return true
  if (saysError(chunk.error) || saysError(chunk.errors) || namesError(chunk, ERROR_FIELD)) return true
  if (isJsonObject(groq) && saysError(groq.error)) return true
  if (Array.isArray(choices) && choices.length > 0) return choices.some(isFailedChoice)
  const isMarked = choices === undefined || (typeof code === 'number' && !isGoodCode(code))
  return isMarked && isFlatError(chunk)
}

const LABEL =
  /id$|^(?:object|created|created_at|model|type|event|status|provider|system_fingerprint|service_tier|role|version|time|timestamp|date|name)$/i
const DEEPEST = 3

function holdsWords(value: Json | undefined, depth: number): boolean {
  if (typeof value === 'string') return !GOOD_WORD.test(value.trim())
  if (!isJsonObject(value) || depth === DEEPEST) return false
  return Object.keys(value).some(name => !LABEL.test(name) && holdsWords(value[name], depth + 1))
}

/** Whether an event is no chunk of an answer, and says something: what it is, only what comes next can tell. */
export function isForeign(event: JsonObject): boolean {
  const { choices, usage, x_groq: groq, object } = event
  const isChunk =
    choices !== undefined || isJsonObject(usage) || isJsonObject(groq) || object === 'chat.completion.chunk'
  return !isChunk && holdsWords(event, 0)
}

const ERROR_WORDS =
  /\b(?:errors?|exceptions?|fail(?:ed|ure)?|denied|refused|disconnect\w*|abort\w*|interrupt\w*|exceeded|unavailable|overload\w*|too many requests|rate.?limit\w*|no capacity)\b|\btimed? ?out\b|\bbad gateway\b|\binternal server\b/i

export const soundsLikeError = (words: string): boolean => ERROR_WORDS.test(words)

/** Whether an event that no client of an API reads tells of an error: a bare notice is none. */
export function complains(event: JsonObject): boolean {
  const { message, msg, Message, ...rest } = event
  if (isErrorEvent(rest)) return true
  const words = [message, msg, Message].filter(word => typeof word === 'string').join(' ')
  const { code } = event
  const isCoded = typeof code === 'number' || typeof code === 'string'
  return words !== '' && ((isCoded && isBad(code)) || soundsLikeError(words))
}
