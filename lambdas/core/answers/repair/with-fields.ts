import type { Json, JsonObject } from '../../json.ts'

/** The object with these fields; undefined takes one away. The same object where that changes nothing. */
export function withFields(object: JsonObject, fields: JsonObject): JsonObject {
  const changes = Object.keys(fields).filter(name => object[name] !== fields[name])
  if (changes.length === 0) return object
  const changed: Record<string, Json | undefined> = { ...object }
  for (const name of changes) {
    if (fields[name] === undefined) delete changed[name]
    else changed[name] = fields[name]
  }
  return changed
}

/** The same list where no entry changes, so that what needs nothing is passed on as it came. */
export function mapIfChanged<Entry>(list: readonly Entry[], change: (entry: Entry, place: number) => Entry) {
  const changed = list.map(change)
  return changed.every((entry, place) => entry === list[place]) ? list : changed
}
