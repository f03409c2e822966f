import { type Json, type JsonObject, isJsonObject } from '../../../lambdas/core/json.ts'

const MAX_DEPTH = 8

/** A value that fits a JSON schema, as far as the usual keywords go; strings hold the given text. */
export function exampleValue(schema: Json | undefined, text: string, depth = 0): Json {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return text
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum) && schema.enum[0] !== undefined) return schema.enum[0]
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (Array.isArray(alternatives)) return exampleValue(alternatives[0], text, depth + 1)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object' || isJsonObject(schema.properties)) return exampleObject(schema, text, depth)
  if (type === 'array') return [exampleValue(schema.items, text, depth + 1)]
  if (type === 'number' || type === 'integer') return typeof schema.minimum === 'number' ? schema.minimum : 1
  if (type === 'boolean') return true
  if (type === 'null') return null
  return text
}

function exampleObject(schema: JsonObject, text: string, depth: number): JsonObject {
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : []
  return Object.fromEntries(properties.map(([name, value]) => [name, exampleValue(value, text, depth + 1)]))
}
