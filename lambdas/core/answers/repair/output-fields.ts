import { isJsonObject, type Json, type JsonObject } from '../../json.ts'

/** Where models think. */
export const THOUGHT_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking'] as const

/** Where they answer. */
export const ANSWER_FIELDS = [
  'content',
  'content_parts',
  'refusal',
  'tool_calls',
  'function_call',
  'audio',
  'images',
] as const

/** Labels that stand beside output and are none. */
const LABELS: ReadonlySet<string> = new Set(['type', 'id', 'index', 'role', 'format'])

/** Whether any text stands in a value, however deep, but for labels. */
export function isFilled(value: Json | undefined): boolean {
  if (typeof value === 'string') return value !== ''
  if (Array.isArray(value)) return value.some(isFilled)
  if (!isJsonObject(value)) return false
  for (const name in value) if (!LABELS.has(name) && isFilled(value[name])) return true
  return false
}

export const holdsThought = (message: JsonObject): boolean =>
  THOUGHT_FIELDS.some(field => isFilled(message[field]))

export const holdsAnswer = (message: JsonObject): boolean =>
  ANSWER_FIELDS.some(field => isFilled(message[field]))
