import { isJsonObject, type Json, type JsonObject } from '../json.ts'

/** What a field becomes when a delta adds to it; `before` is null at first. Neither value is changed. */
export type Join = (before: Json, added: Json) => Json

/** The join of each field that is known; any other field takes the fallback. */
export type Joins = Readonly<Record<string, Join>>

const isEmpty = (value: Json): boolean =>
  value === null || value === '' || value === 0 || (Array.isArray(value) && value.length === 0)

/** The last value that is not null. */
export const keepLast: Join = (before, added) => added ?? before

/** The first value that says something. */
export const keepFirst: Join = (before, added) => (isEmpty(before) ? (added ?? before) : before)

/** Text grows; anything else replaces what was there. */
export const joinText: Join = (before, added) =>
  typeof before === 'string' && typeof added === 'string' ? before + added : keepLast(before, added)

/** Lists grow; anything else replaces what was there. */
export const joinLists: Join = (before, added) =>
  Array.isArray(before) && Array.isArray(added) ? before.concat(added) : keepLast(before, added)

/** Joins two objects field by field. */
export function joinFields(joins: Joins, fallback: Join, before: JsonObject, added: JsonObject): JsonObject {
  const fields = new Map<string, Json | undefined>(Object.entries(before))
  for (const [name, value] of Object.entries(added)) {
    if (value === undefined) continue
    // A field called `constructor` has no join of its own.
    const join = Object.hasOwn(joins, name) ? (joins[name] ?? fallback) : fallback
    fields.set(name, join(fields.get(name) ?? null, value))
  }
  return Object.fromEntries(fields)
}

/** A join of objects, field by field. */
export function objectJoin(joins: Joins, fallback: Join = keepLast): Join {
  return (before, added) =>
    isJsonObject(added)
      ? joinFields(joins, fallback, isJsonObject(before) ? before : {}, added)
      : keepLast(before, added)
}
