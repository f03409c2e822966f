import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { keepLast } from './join-deltas.ts'

const textPart = (text: string): Json => ({ type: 'text', text })

const toParts = (content: string | readonly Json[]): readonly Json[] =>
  typeof content !== 'string' ? content : content === '' ? [] : [textPart(content)]

const isContent = (value: Json): value is string | readonly Json[] =>
  typeof value === 'string' || Array.isArray(value)

const holdsOnly = (part: JsonObject, field: string): boolean =>
  Object.keys(part).every(name => name === 'type' || name === field)

/** One part, where the second only continues the first. */
function joinParts(first: Json | undefined, second: Json | undefined): Json | null {
  if (!isJsonObject(first) || !isJsonObject(second) || first.type !== second.type) return null
  const field = typeof first.type === 'string' ? first.type : ''
  const [before, added] = [first[field], second[field]]
  if (!holdsOnly(first, field) || !holdsOnly(second, field)) return null
  if (typeof before === 'string' && typeof added === 'string') return { ...first, [field]: before + added }
  if (Array.isArray(before) && Array.isArray(added)) return { ...first, [field]: joinSeam(before, added) }
  return null
}

/** Two lists of parts as one; a part that was cut in two is whole again. */
function joinSeam(before: readonly Json[], added: readonly Json[]): readonly Json[] {
  const seam = joinParts(before.at(-1), added[0])
  return seam === null ? before.concat(added) : [...before.slice(0, -1), seam, ...added.slice(1)]
}

/** Content is text, or a list of parts (`text`, `thinking`, …), and some models change from one to the other. */
export function joinContent(before: Json, added: Json): Json {
  if (!isContent(before) || !isContent(added)) return keepLast(before, added)
  if (typeof before === 'string' && typeof added === 'string') return before + added
  return joinSeam(toParts(before), toParts(added))
}
