import type { ErrorEnvelope } from './envelope/error-envelope.ts'
import { verdict, type Verdict } from './verdict.ts'
import { isJsonObject, type JsonObject } from '../json.ts'

const NOT_AN_API = verdict('malformed_response', { class: 'fatal' })
const GARBLED = verdict('malformed_response')
const NO_OUTPUT = verdict('malformed_response', { scope: 'model' })

const RUN_FAILED = verdict('server_error', { scope: 'model' })
const OVERLOADED = verdict('overloaded')
const FILTERED = verdict('content_filter', { tryNext: false })

/** Finish reasons, in lower case, by which a backend says that it gave up: never an answer. */
const GAVE_UP_FINISHES: ReadonlyMap<string, Verdict> = new Map([
  ['error', RUN_FAILED],
  ['network_error', RUN_FAILED],
  ['server_error', RUN_FAILED],
  ['abort', RUN_FAILED],
  ['aborted', RUN_FAILED],
  ['cancelled', RUN_FAILED],
  ['insufficient_system_resource', OVERLOADED],
  ['overloaded', OVERLOADED],
  ['unavailable', OVERLOADED],
  ['timeout', verdict('timeout', { scope: 'model' })],
  ['malformed_function_call', NO_OUTPUT],
  ['malformed_response', NO_OUTPUT],
  ['unexpected_tool_call', NO_OUTPUT],
])
const LONGEST_FINISH = 200

/** The verdict on a finish reason by which a backend gave up, alone or beside the name of what did; else null. */
export function gaveUpBy(finish: unknown): Verdict | null {
  if (typeof finish !== 'string' || finish.length > LONGEST_FINISH) return null
  const words = finish.toLowerCase().split(/[^a-z_]+/)
  return words.map(word => GAVE_UP_FINISHES.get(word)).find(verdict => verdict !== undefined) ?? null
}

const FILTERED_FINISHES: ReadonlySet<string> = new Set(['content_filter', 'sensitive'])

/**
 * What is wrong with a 200 that carries no error of its own: nothing in it, half of it, or no API behind it.
 * @param inStream whether output had begun, so that plain bytes are a broken stream and not a web page
 */
export function judgeCompletion(envelope: ErrorEnvelope, inStream: boolean): Verdict {
  const finish = finishReasonOf(envelope.document)?.toLowerCase() ?? ''
  if (FILTERED_FINISHES.has(finish)) return FILTERED
  const gaveUp = gaveUpBy(finish)
  if (gaveUp) return gaveUp
  switch (envelope.form) {
    case 'empty':
    case 'broken_json':
      return GARBLED
    case 'html':
    case 'text':
      return inStream ? GARBLED : NOT_AN_API
    case 'ndjson':
      return NOT_AN_API
    case 'events':
      // Events that were cut, or that said nothing: the model's run failed, the host spoke the protocol.
      return envelope.documents.length > 0 ? NO_OUTPUT : GARBLED
    case 'json':
      return judgeDocument(envelope.document)
  }
}

function judgeDocument(document: unknown): Verdict {
  if (!isJsonObject(document)) return GARBLED
  if ('choices' in document) return NO_OUTPUT
  // Ollama's own API: the base URL lacks its `/v1`.
  const native = typeof document.done === 'boolean' && ('message' in document || 'response' in document)
  return native ? NOT_AN_API : GARBLED
}

/** How a choice ended by its own word, and by that of the host behind a relay, which may have called it `stop`. */
const finishesOf = ({
  finish_reason: own,
  native_finish_reason: native,
  provider_specific_fields: fields,
}: JsonObject): unknown[] => [own, native, isJsonObject(fields) ? fields.native_finish_reason : null]

/** The finish by which the backend of a choice gave up; undefined where none says so. */
export const gaveUpFinish = (choice: JsonObject): unknown =>
  finishesOf(choice).find(finish => gaveUpBy(finish) !== null)

/** The finish reason in a completion, a chunk, or a message of Anthropic's API; or null. */
export function finishReasonOf(document: unknown): string | null {
  if (!isJsonObject(document)) return null
  const choices = Array.isArray(document.choices) ? document.choices.filter(isJsonObject) : []
  const delta = isJsonObject(document.delta) ? document.delta : document
  const [choice] = choices
  const gaveUp = choices.map(gaveUpFinish).find(finish => finish !== undefined)
  const finish = gaveUp ?? (choice ? choice.finish_reason : delta.stop_reason)
  return typeof finish === 'string' ? finish : null
}
