import { isJsonObject, type JsonObject } from '../../../../core/json.ts'

/** `text.format` is flat here and nested in the chat API. */
export function translateFormat({ text }: JsonObject): JsonObject {
  if (!isJsonObject(text)) return {}
  const { format, verbosity } = text
  const spoken = verbosity == null ? {} : { verbosity }
  if (!isJsonObject(format) || format.type === 'text') return spoken
  if (format.type !== 'json_schema') return { response_format: format, ...spoken }
  const { type, ...schema } = format
  return { response_format: { type, json_schema: schema }, ...spoken }
}
