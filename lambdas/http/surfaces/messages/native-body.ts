import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { editJsonText } from '../../../core/edit-json-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import type { NativeCall } from '../../../core/native-call.ts'
import { headerOf } from '../../request-headers.ts'

const DEFAULT_VERSION = '2023-06-01'

/** Thoughts that a translation has given out bear no signature, and no provider takes them back. */
const isUnsigned = ({ type, signature }: JsonObject): boolean => type === 'thinking' && !signature

const isSealed = ({ type }: JsonObject): boolean => type === 'thinking' || type === 'redacted_thinking'

/** The turns without these blocks; the same list where they hold none. */
function without(turns: Json | undefined, unwanted: (block: JsonObject) => boolean): Json | undefined {
  if (!Array.isArray(turns)) return turns
  const isUnwanted = (block: Json): boolean => isJsonObject(block) && unwanted(block)
  const edited = turns.flatMap((turn): Json[] => {
    if (!isJsonObject(turn) || !Array.isArray(turn.content) || !turn.content.some(isUnwanted)) return [turn]
    const content = turn.content.filter(block => !isUnwanted(block))
    // A turn that was nothing but a thought is none.
    return content.length > 0 ? [{ ...turn, content }] : []
  })
  return edited.every((turn, place) => turn === turns[place]) && edited.length === turns.length
    ? turns
    : edited
}

const withMessages = (text: string, messages: Json | undefined): string =>
  editJsonText(text, new Map([['messages', JSON.stringify(messages)]]))

/**
 * A request of this API as an endpoint of this API gets it.
 * @param native the field that only such an endpoint can serve; null = there is none
 */
export function nativeCallOf(
  event: LambdaFunctionURLEvent,
  text: string,
  { messages }: JsonObject,
  native: string | null,
): NativeCall {
  const signed = without(messages, isUnsigned)
  const whole = signed === messages ? text : withMessages(text, signed)
  const unsealed = without(signed, isSealed)
  const betas = headerOf(event, 'anthropic-beta')
  return {
    api: 'messages',
    text: whole,
    unsealed: unsealed === signed ? null : withMessages(text, unsealed),
    headers: {
      'anthropic-version': headerOf(event, 'anthropic-version') ?? DEFAULT_VERSION,
      ...(betas === undefined ? {} : { 'anthropic-beta': betas }),
    },
    needs: { api: native, state: null },
    follows: null,
    isStored: false,
  }
}
