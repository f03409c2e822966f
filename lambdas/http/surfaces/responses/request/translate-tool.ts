import { isJsonObject, type JsonObject } from '../../../../core/json.ts'

/** The kinds of tool that a client runs itself, and that a function of the chat API can stand for. */
export type ToolKind = 'function' | 'custom' | 'tool_search'

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

/** The kind of a tool that can be translated; null for one that its provider runs. */
export function isTranslated({ type, execution }: JsonObject): ToolKind | null {
  if (type === 'function' || type === 'custom') return type
  return type === 'tool_search' && execution === 'client' ? type : null
}

function grammarOf({ format }: JsonObject): string {
  if (!isJsonObject(format) || format.type !== 'grammar') return ''
  const syntax = typeof format.syntax === 'string' ? `${format.syntax} ` : ''
  return `\n\nThe input must follow this ${syntax}grammar:\n${String(format.definition ?? '')}`
}

/** Free text becomes the one argument of a function, because every host knows functions. */
const FREE_TEXT: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
}

/** One tool as a function of the chat API. */
export function chatFunctionOf(tool: JsonObject, kind: ToolKind, chatName: string): JsonObject {
  const { description, parameters, strict } = tool
  const described = typeof description === 'string' ? { description } : {}
  if (kind === 'custom') {
    const text = `${typeof description === 'string' ? description : ''}${grammarOf(tool)}`.trim()
    return {
      type: 'function',
      function: { name: chatName, ...(text ? { description: text } : {}), parameters: FREE_TEXT },
    }
  }
  return {
    type: 'function',
    function: {
      name: chatName,
      ...described,
      parameters: isJsonObject(parameters) ? parameters : NO_PARAMETERS,
      // False is what the chat API assumes, and some hosts do not know the field.
      ...(strict === true ? { strict } : {}),
    },
  }
}
