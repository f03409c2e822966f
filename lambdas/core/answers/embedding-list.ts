import { mapIfChanged, withFields } from './repair/with-fields.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { vectorLength, withFormat, type VectorFormat } from './vector-format.ts'

/** What a request for embeddings asks for. */
export type WantedVectors = {
  count: number
  /** Of each vector; null = as the model has it. */
  dimensions: number | null
  format: VectorFormat
}

/** What a request body asks for: one vector for a text, or for a list of tokens, and one each for a list of them. */
export function wantedVectors({ input, dimensions, encoding_format: format }: JsonObject): WantedVectors {
  const isBatch = Array.isArray(input) && typeof input[0] !== 'number'
  return {
    count: isBatch ? input.length : 1,
    dimensions: typeof dimensions === 'number' ? dimensions : null,
    format: format === 'base64' ? 'base64' : 'float',
  }
}

type Entry = { index: number; entry: JsonObject; length: number }

function readEntry(entry: Json, place: number): Entry | null {
  if (!isJsonObject(entry)) return null
  const { index = place, embedding } = entry
  const length = vectorLength(embedding)
  return typeof index === 'number' && length !== null ? { index, entry, length } : null
}

/**
 * The vectors of an answer in the order and the format in which they were asked for; null where they are not those that
 * were: too few, empty, of another length than was asked for, or of several.
 */
export function readEmbeddings(answer: JsonObject, wanted: WantedVectors): JsonObject | null {
  const { data } = answer
  if (!Array.isArray(data) || data.length !== wanted.count) return null
  const entries = data.map(readEntry).filter(entry => entry !== null)
  const indexes = new Set(entries.map(({ index }) => index))
  const isComplete = Array.from({ length: wanted.count }, (_, index) => index).every(index =>
    indexes.has(index),
  )
  const length = wanted.dimensions ?? entries[0]?.length
  if (!isComplete || entries.some(entry => entry.length !== length)) return null
  const sorted = entries.toSorted((one, other) => one.index - other.index)
  const vectors = mapIfChanged(
    sorted.map(({ entry }) => entry),
    (entry, place) =>
      withFields(entry, {
        object: entry.object ?? 'embedding',
        index: sorted[place]?.index,
        embedding: withFormat(entry.embedding, wanted.format),
      }),
  )
  const isSame = vectors.every((vector, place) => vector === data[place])
  return withFields(answer, { object: answer.object ?? 'list', data: isSame ? data : vectors })
}
