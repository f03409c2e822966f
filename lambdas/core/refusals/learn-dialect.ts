import type { Dialect } from '../endpoint.ts'
import type { Failure } from '../failures/failure.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { carriesParam } from './carries-param.ts'

/** The same limit under two names: who refuses the one, whatever its model is called, takes the other. */
const TOKEN_LIMITS: ReadonlyMap<string, string> = new Map([
  ['max_tokens', 'max_completion_tokens'],
  ['max_completion_tokens', 'max_tokens'],
])

/** How long an answer a request asks for, in tokens; 0 = it does not say. */
export const outputAsked = (body: JsonObject): number =>
  Math.max(0, ...[...TOKEN_LIMITS.keys()].map(name => Number(body[name] ?? 0)))

const isScalar = (value: unknown): boolean => typeof value === 'number' || typeof value === 'string'

/** Another way to say the same that a refusal asks for; null = none. */
export function learnDialect(
  { renamedParam, refusedParam, wantedForm }: Failure,
  body: JsonObject,
): Dialect | null {
  const to = refusedParam === undefined ? undefined : TOKEN_LIMITS.get(refusedParam)
  const renamed =
    renamedParam ?? (refusedParam !== undefined && to !== undefined ? { from: refusedParam, to } : null)
  if (renamed && isScalar(body[renamed.from]) && !carriesParam(body, renamed.to)) {
    return { what: 'renamed', name: renamed.from, to: renamed.to }
  }
  if (wantedForm === undefined || !Array.isArray(body.messages)) return null
  const isConcerned = wantedForm === 'joined_texts' ? holdsTextParts : holdsEmptyText
  return body.messages.some(isConcerned) ? { what: wantedForm } : null
}

const partsOf = (message: Json): readonly Json[] =>
  isJsonObject(message) && Array.isArray(message.content) ? message.content : []
const isText = (part: Json): boolean => isJsonObject(part) && part.type === 'text'
const isEmptyText = (part: Json): boolean => isJsonObject(part) && part.type === 'text' && !part.text

const holdsTextParts = (message: Json): boolean =>
  partsOf(message).length > 0 && partsOf(message).every(isText)
const holdsEmptyText = (message: Json): boolean =>
  partsOf(message).some(isEmptyText) ||
  (isJsonObject(message) && message.content === '' && Array.isArray(message.tool_calls))
