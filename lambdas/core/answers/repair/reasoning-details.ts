import { fields, first, last, text, type Accumulator, type ObjectAccumulator } from '../fold/accumulators.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json.ts'

const DETAIL = {
  type: first,
  id: first,
  format: first,
  index: first,
  text,
  summary: text,
  data: text,
  signature: last,
}

type Detail = { type: Json | undefined; id: Json | undefined; signed: boolean; parts: ObjectAccumulator }

/** Without an index a piece continues the last one of its type, until that is signed. */
const continues = (before: Detail | undefined, { type, id }: JsonObject): boolean =>
  before !== undefined &&
  before.type === type &&
  !before.signed &&
  (id === undefined || id === null || before.id === undefined || before.id === id)

/**
 * Reasoning that is sent back as it came: pieces of one index and type are one, because a signature covers the whole.
 * https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export function reasoningDetails(): Accumulator {
  const details: (Detail | Json)[] = []
  const byIndex = new Map<string, Detail>()
  let current: Detail | undefined
  let other: Json = null

  function addEntry(entry: Json): void {
    if (!isJsonObject(entry)) {
      details.push(entry)
      return
    }
    const { type, index, id = null, signature } = entry
    const key = typeof index === 'number' ? `${index} ${String(type)}` : null
    let detail = key === null ? (continues(current, entry) ? current : undefined) : byIndex.get(key)
    if (!detail) {
      detail = { type, id: id ?? undefined, signed: false, parts: fields(DETAIL) }
      details.push(detail)
      if (key !== null) byIndex.set(key, detail)
    }
    detail.parts.addFields(entry)
    detail.signed ||= typeof signature === 'string' && signature !== ''
    current = detail
  }

  const isDetail = (entry: Detail | Json): entry is Detail =>
    typeof entry === 'object' && entry !== null && 'parts' in entry && 'signed' in entry

  return {
    add(value) {
      if (Array.isArray(value)) value.forEach(addEntry)
      else other = value ?? other
    },
    value: () =>
      details.length === 0 ? other : details.map(entry => (isDetail(entry) ? entry.parts.object() : entry)),
  }
}
