import { isJsonObject, type Json, type JsonObject } from '../../json.ts'

const kindOf = (part: Json): Json | undefined => (isJsonObject(part) ? part.type : 'text')

/** The text inside a part: `{type: 'text', text}`, or `{type: 'thinking', thinking: [{type: 'text', text}]}`. */
function textIn(value: Json | undefined): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textIn).join('')
  return isJsonObject(value) ? textIn(value.text ?? value.thinking) : ''
}

const TEXT_KINDS: ReadonlySet<unknown> = new Set(['text', 'output_text', 'thinking', undefined])
const isText = (part: Json): boolean => TEXT_KINDS.has(kindOf(part))

const isImage = (part: Json): boolean => kindOf(part) === 'image_url'

/** A list joined to the one that is there already. */
const withList = (before: Json | undefined, added: readonly Json[]): readonly Json[] =>
  Array.isArray(before) ? before.concat(added) : added

/**
 * A message or delta whose content came as parts, as the string that clients of the chat API expect: the thinking
 * beside it, images where other hosts put theirs, any other part unchanged in `content_parts`. The same object where
 * the content is no list.
 */
export function flattenMessage(message: JsonObject): JsonObject {
  const { content } = message
  if (!Array.isArray(content)) return message
  const thinking = textIn(content.filter(part => kindOf(part) === 'thinking'))
  const images = content.filter(isImage)
  const others = content.filter(part => !isText(part) && !isImage(part))
  const before = typeof message.reasoning_content === 'string' ? message.reasoning_content : ''
  return {
    ...message,
    content: textIn(content.filter(part => isText(part) && kindOf(part) !== 'thinking')),
    ...(thinking === '' ? {} : { reasoning_content: before + thinking }),
    ...(images.length === 0 ? {} : { images: withList(message.images, images) }),
    ...(others.length === 0 ? {} : { content_parts: others }),
  }
}
