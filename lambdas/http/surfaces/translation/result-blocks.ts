import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'

const textBlock = (value: Json): JsonObject => ({
  type: 'text',
  text: typeof value === 'string' ? value : JSON.stringify(value),
})

/** The blocks of what a tool gave back. What is neither a text nor a list of blocks is shown to the model as JSON. */
export function resultBlocks(content: Json | undefined): readonly JsonObject[] {
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) {
    return [
      isJsonObject(content) && typeof content.text === 'string' && content.type === 'text'
        ? content
        : textBlock(content),
    ]
  }
  return content.map(entry =>
    isJsonObject(entry) && typeof entry.type === 'string' ? entry : textBlock(entry),
  )
}
