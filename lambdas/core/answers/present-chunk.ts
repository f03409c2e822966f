import { isJsonObject, type Json, type JsonObject } from '../json.ts'

type Presentation = {
  /** The client asked for usage in its stream. */
  includeUsage: boolean
  /** Named where the upstream did not say which model answered. */
  model: string
}

/** A chunk that carries nothing but usage. */
const isUsageOnly = ({ choices, usage }: JsonObject): boolean =>
  (choices === undefined || (Array.isArray(choices) && choices.length === 0)) && isJsonObject(usage)

const withDelta = (choice: JsonObject): Json =>
  isJsonObject(choice.delta) ? choice : { ...choice, delta: {} }

/** Clients read `choices[0].delta.content` unasked: annotation events come without choices or without a delta. */
function completeChoices(chunk: JsonObject): JsonObject {
  const { choices } = chunk
  if (!Array.isArray(choices)) return { ...chunk, choices: [] }
  if (choices.every(choice => isJsonObject(choice) && isJsonObject(choice.delta))) return chunk
  return { ...chunk, choices: choices.filter(isJsonObject).map(withDelta) }
}

function withoutUsage(chunk: JsonObject): JsonObject {
  if (chunk.usage === undefined || chunk.usage === null) return chunk
  const { usage: _, ...rest } = chunk
  return rest
}

/** Fills in the model's name where the upstream left it out. */
export function nameModel(answer: JsonObject, model: string): JsonObject {
  return typeof answer.model === 'string' && answer.model !== '' ? answer : { ...answer, model }
}

/**
 * One chunk as the client may see it: the same object where nothing in it breaks clients, null where it is only
 * usage that nobody asked for. Unknown fields stay as they came.
 */
export function presentChunk(chunk: JsonObject, { includeUsage, model }: Presentation): JsonObject | null {
  if (!includeUsage && isUsageOnly(chunk)) return null
  const complete = nameModel(completeChoices(chunk), model)
  return includeUsage ? complete : withoutUsage(complete)
}
