import { editJsonText, memberText, withMember } from '../core/edit-json-text.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { NativeFold } from './native-wire.ts'
import { createItemFold, saysMore } from './response-item.ts'

/**
 * The last event of OpenAI's Responses API holds what is answered without a stream. Some hosts leave its output out,
 * or the texts in it, and send them in the events of its items alone. https://github.com/BerriAI/litellm/issues/41009
 * https://github.com/vllm-project/vllm/pull/37071
 */
export function createResponseFold(): NativeFold {
  const items = createItemFold()
  let text: string | null = null

  function ofEnd({ output }: JsonObject, data: string): string | null {
    const response = memberText(data, 'response')
    const streamed = items.items()
    if (response === null || !saysMore(streamed, Array.isArray(output) ? output : [])) return response
    const texts = streamed.map(({ text }) => text)
    // A call of which half is missing is none.
    if (texts.includes(null)) return null
    const whole = `[${texts.join(',')}]`
    return output === undefined
      ? withMember(response, 'output', whole)
      : editJsonText(response, new Map([['output', whole]]))
  }

  return {
    add(event, data) {
      const { type, response } = event
      items.add(event, data)
      if (type !== 'response.completed' && type !== 'response.incomplete') return
      text = isJsonObject(response) ? ofEnd(response, data) : null
    },
    text: () => text,
  }
}
