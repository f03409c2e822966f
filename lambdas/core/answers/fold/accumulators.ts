import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { limit, MOST_FIELDS } from '../answer-limits.ts'

/** What a field becomes as deltas add to it. Nothing it is given is changed; each piece is read once. */
export type Accumulator = {
  add(value: Json): void
  /** A copy that later pieces do not change. */
  value(): Json
}

/** The accumulator of each field that is known; any other field takes the fallback. */
export type Fields = Readonly<Record<string, () => Accumulator>>

const isEmpty = (value: Json): boolean =>
  value === null || value === '' || value === 0 || (Array.isArray(value) && value.length === 0)

/** The last value that is not null. */
export function last(initial: Json = null): Accumulator {
  let kept = initial
  return { add: value => void (kept = value ?? kept), value: () => kept }
}

/** The first value that says something. */
export function first(): Accumulator {
  let kept: Json = null
  return { add: value => void (kept = isEmpty(kept) ? (value ?? kept) : kept), value: () => kept }
}

/** Text grows; anything else replaces what was there. */
export function text(): Accumulator {
  let kept: Json = null
  return {
    add(value) {
      kept = typeof kept === 'string' && typeof value === 'string' ? kept + value : (value ?? kept)
    },
    value: () => kept,
  }
}

/** Lists grow; anything else replaces what was there. `keyOf` names entries of which one is enough. */
export function list(keyOf?: (entry: Json) => string): Accumulator {
  let kept: Json = null
  let entries: Json[] = []
  let keys = new Set<string>()

  /** What earlier lists did not hold; within one list nothing is a repetition. */
  function fresh(more: readonly Json[]): readonly Json[] {
    if (!keyOf) return more
    const named = more.map(entry => ({ entry, key: keyOf(entry) }))
    const unseen = named.filter(({ key }) => !keys.has(key))
    for (const { key } of unseen) keys.add(key)
    return unseen.map(({ entry }) => entry)
  }

  return {
    add(value) {
      if (Array.isArray(value)) {
        if (!Array.isArray(kept)) [entries, keys] = [[], new Set()]
        kept = entries
        for (const entry of fresh(value)) entries.push(entry)
      } else kept = value ?? kept
    },
    value: () => (Array.isArray(kept) ? [...entries] : kept),
  }
}

/** Lists that hosts repeat as they grow, such as citations: each entry once. */
export const distinctList = (): Accumulator => list(entry => JSON.stringify(entry))

/** Lists that are repeated as they grow; of anything else the first that says something. */
export function firstOrGrowing(): Accumulator {
  const plain = first()
  let growing: Accumulator | null = null
  return {
    add(value) {
      if (!Array.isArray(value) || value.length === 0) return plain.add(value)
      growing ??= distinctList()
      growing.add(value)
    },
    value: () => (growing ?? plain).value(),
  }
}

/** Base64 that was padded piece by piece, as one text again. */
export function base64(): Accumulator {
  const pieces: string[] = []
  let other: Json = null
  return {
    add(value) {
      if (typeof value === 'string') pieces.push(value)
      else other = value ?? other
    },
    value() {
      if (pieces.length === 0) return other
      const isPadded = pieces.slice(0, -1).some(piece => piece.endsWith('='))
      if (!isPadded) return pieces.join('')
      return Buffer.concat(pieces.map(piece => Buffer.from(piece, 'base64'))).toString('base64')
    },
  }
}

export type ObjectAccumulator = Accumulator & {
  addFields(value: JsonObject): void
  object(): JsonObject
}

/** Objects, field by field; anything else replaces what was there. */
export function fields(known: Fields, fallback: () => Accumulator = last): ObjectAccumulator {
  const parts = new Map<string, Accumulator>()
  let other: Json = null
  let isObject = false

  function addFields(value: JsonObject): void {
    isObject = true
    for (const name in value) {
      const field = value[name]
      if (field === undefined) continue
      let part = parts.get(name)
      if (!part) {
        // A field called `constructor` has no accumulator of its own.
        part = ((Object.hasOwn(known, name) ? known[name] : undefined) ?? fallback)()
        parts.set(name, part)
        limit(parts.size, MOST_FIELDS, 'fields')
      }
      part.add(field)
    }
  }

  const object = (): JsonObject => Object.fromEntries([...parts].map(([name, part]) => [name, part.value()]))
  return {
    addFields,
    object,
    add(value) {
      if (isJsonObject(value)) addFields(value)
      else other = value ?? other
    },
    value: () => (isObject ? object() : other),
  }
}
