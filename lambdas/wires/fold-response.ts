import { editJsonText, memberText } from '../core/edit-json-text.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { NativeFold } from './native-wire.ts'

/**
 * The last event of OpenAI's Responses API holds what is answered without a stream. Some hosts leave its output out,
 * and send it in the events of its items alone. https://github.com/BerriAI/litellm/issues/41009
 */
export function createResponseFold(): NativeFold {
  const items: string[] = []
  let text: string | null = null

  function ofEnd({ output }: JsonObject, data: string): string | null {
    const response = memberText(data, 'response')
    const isWhole = response === null || items.length === 0 || (Array.isArray(output) && output.length > 0)
    return isWhole ? response : editJsonText(response, new Map([['output', `[${items.join(',')}]`]]))
  }

  return {
    add({ type, response }, data) {
      if (type === 'response.output_item.done') items.push(memberText(data, 'item') ?? 'null')
      if (type !== 'response.completed' && type !== 'response.incomplete') return
      text = isJsonObject(response) ? ofEnd(response, data) : null
    },
    text: () => text,
  }
}
