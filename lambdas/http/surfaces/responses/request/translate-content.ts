import { isJsonObject, type Json, type JsonObject } from '../../../../core/json.ts'
import type { Findings } from '../../translation/findings.ts'

const TEXT_TYPES = new Set(['input_text', 'output_text', 'text', 'summary_text', 'reasoning_text'])

/** The parts of a content that may also be one string. */
export function partsOf(content: Json | undefined): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }]
  return Array.isArray(content) ? content.filter(isJsonObject) : []
}

/** Whether a part holds text, under any of its names. */
export const isText = ({ type, text }: JsonObject): boolean =>
  typeof type === 'string' && TEXT_TYPES.has(type) && typeof text === 'string'

/** Every text of a content, one after the other. */
export function textOf(content: Json | undefined, separator: string): string {
  return partsOf(content)
    .flatMap(part => (isText(part) ? [String(part.text)] : []))
    .join(separator)
}

/** The chat API knows fewer sizes. */
const detailOf = (detail: Json | undefined): JsonObject =>
  typeof detail === 'string' ? { detail: detail === 'original' ? 'high' : detail } : {}

function mediaPart(part: JsonObject, param: string, findings: Findings): JsonObject | null {
  const { type, image_url: url, file_data: data, filename } = part
  if (part.file_id != null) findings.needState(`${param}.file_id`)
  else if (type === 'input_image' && typeof url === 'string') {
    return { type: 'image_url', image_url: { url, ...detailOf(part.detail) } }
  } else if (type === 'input_file' && typeof data === 'string') {
    return { type: 'file', file: { ...(filename == null ? {} : { filename }), file_data: data } }
  } else if (type === 'input_audio' && isJsonObject(part.input_audio)) {
    return { type, input_audio: part.input_audio }
  } else findings.needNative(param)
  return null
}

const listOf = (part: JsonObject | null): readonly JsonObject[] => (part === null ? [] : [part])

/** The content of a user's message: one string where it is one text. */
export function translateContent(content: Json | undefined, param: string, findings: Findings): Json {
  if (typeof content === 'string') return content
  const parts = partsOf(content).flatMap((part, place): readonly JsonObject[] => {
    if (isText(part)) return [{ type: 'text', text: part.text }]
    return listOf(mediaPart(part, `${param}[${place}]`, findings))
  })
  const [only] = parts
  return parts.length === 1 && only && typeof only.text === 'string' ? only.text : parts
}

/** Images and files among the parts of a tool's output: tool messages of the chat API hold text alone. */
export function mediaOf(output: Json | undefined, param: string, findings: Findings): readonly JsonObject[] {
  if (!Array.isArray(output)) return []
  return partsOf(output).flatMap((part, place) =>
    isText(part) ? [] : listOf(mediaPart(part, `${param}[${place}]`, findings)),
  )
}
