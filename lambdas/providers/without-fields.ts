import type { JsonObject } from '../core/json.ts'

/** The object without the named fields: itself where it has none of them, else a copy, in the same order. */
export function withoutFields(object: JsonObject, names: readonly string[]): JsonObject {
  if (!names.some(name => Object.hasOwn(object, name))) return object
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

/** OpenAI takes null for a field that was not sent. Other hosts refuse the field, and would be known not to take it. */
export const withoutNulls = (object: JsonObject): JsonObject =>
  withoutFields(
    object,
    Object.keys(object).filter(name => object[name] === null),
  )
