import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import type { Findings } from '../translation/findings.ts'

export const stringOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** The blocks of a content that may also be one string. */
export function blocksOf(content: Json | undefined): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isJsonObject) : []
}

/** Every text of a content, one after the other. */
export const textsOf = (content: Json | undefined): readonly string[] =>
  blocksOf(content).flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))

const textPart = (text: string): JsonObject => ({ type: 'text', text })

function imagePart({ source }: JsonObject, param: string, findings: Findings): readonly JsonObject[] {
  const { type, media_type: mediaType, data, url }: JsonObject = isJsonObject(source) ? source : {}
  if (type === 'base64') {
    return [{ type: 'image_url', image_url: { url: `data:${stringOf(mediaType)};base64,${stringOf(data)}` } }]
  }
  if (type === 'url') return [{ type: 'image_url', image_url: { url: stringOf(url) } }]
  findings.needNative(`${param}.source`)
  return []
}

function documentParts(block: JsonObject, param: string, findings: Findings): readonly JsonObject[] {
  const { source, title, context } = block
  const { type, media_type: mediaType, data, content }: JsonObject = isJsonObject(source) ? source : {}
  const about = [title, context].flatMap(text => (typeof text === 'string' && text !== '' ? [text] : []))
  if (type === 'text') return [textPart([...about, stringOf(data)].join('\n'))]
  if (type === 'content') {
    const parts = blocksOf(content).flatMap(inner => contentParts(inner, param, findings))
    return about.length > 0 ? [textPart(about.join('\n')), ...parts] : parts
  }
  if (type === 'base64') {
    const filename = typeof title === 'string' && title !== '' ? title : 'document.pdf'
    return [
      {
        type: 'file',
        file: { filename, file_data: `data:${stringOf(mediaType)};base64,${stringOf(data)}` },
      },
    ]
  }
  findings.needNative(`${param}.source`)
  return []
}

/** One block of a user's content, or of a tool's result, as parts of the chat API. */
export function contentParts(block: JsonObject, param: string, findings: Findings): readonly JsonObject[] {
  const { type } = block
  switch (type) {
    case 'text':
      return [textPart(stringOf(block.text))]
    case 'image':
      return imagePart(block, param, findings)
    case 'document':
      return documentParts(block, param, findings)
    case 'search_result':
      return [textPart([stringOf(block.title), stringOf(block.source), ...textsOf(block.content)].join('\n'))]
    case 'tool_reference':
      return [textPart(stringOf(block.tool_name))]
    default:
      // Files in a container, and whatever else only its provider can read.
      findings.needNative(param)
      return []
  }
}

/** One string where everything is text: hosts that know no parts take it too. */
export function joinTexts(parts: readonly JsonObject[]): Json {
  const texts = parts.map(({ type, text }) => (type === 'text' ? stringOf(text) : null))
  return texts.every(text => text !== null) ? texts.join('\n\n') : parts
}
