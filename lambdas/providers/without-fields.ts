import type { JsonObject } from '../core/json.ts'

/** A copy without the named fields; the order of the others is kept. */
export function withoutFields(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}
