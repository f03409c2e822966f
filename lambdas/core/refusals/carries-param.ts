import { isJsonObject, type JsonObject } from '../json.ts'

/** A schema is a demand of its own: hosts that know no schemas may have JSON mode. */
export const JSON_SCHEMA = 'json_schema'

export const asksForSchema = ({ response_format: format }: JsonObject): boolean =>
  isJsonObject(format) && format.type === JSON_SCHEMA

/** Whether a request carries a field, or asks for a schema where that is what was refused. */
export function carriesParam(body: JsonObject, name: string): boolean {
  if (name === JSON_SCHEMA) return asksForSchema(body)
  return Object.hasOwn(body, name) && body[name] !== undefined && body[name] !== null
}
