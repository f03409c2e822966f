import { isJsonObject, type Json, type JsonObject } from '../json.ts'

/** The text inside a part: `{type: 'text', text}`, or `{type: 'thinking', thinking: [{type: 'text', text}]}`. */
function textIn(value: Json | undefined): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textIn).join('')
  return isJsonObject(value) ? textIn(value.text ?? value.thinking) : ''
}

function flattenMessage(message: JsonObject): JsonObject {
  const { content } = message
  if (!Array.isArray(content)) return message
  const isThinking = (part: Json): boolean => isJsonObject(part) && part.type === 'thinking'
  const thinking = textIn(content.filter(isThinking))
  const text = textIn(content.filter(part => !isThinking(part)))
  return { ...message, content: text, ...(thinking === '' ? {} : { reasoning_content: thinking }) }
}

function flattenChoice(choice: Json): Json {
  if (!isJsonObject(choice)) return choice
  const { delta, message } = choice
  if (isJsonObject(delta) && Array.isArray(delta.content)) return { ...choice, delta: flattenMessage(delta) }
  if (isJsonObject(message) && Array.isArray(message.content)) {
    return { ...choice, message: flattenMessage(message) }
  }
  return choice
}

/**
 * An answer or chunk whose content came as an array of parts (Mistral's reasoning models), as the string that
 * clients of the chat API expect, with the thinking beside it. The same object where nothing is to be done.
 */
export function flattenContent(answer: JsonObject): JsonObject {
  const { choices } = answer
  if (!Array.isArray(choices)) return answer
  const flat = choices.map(flattenChoice)
  return flat.every((choice, index) => choice === choices[index]) ? answer : { ...answer, choices: flat }
}
