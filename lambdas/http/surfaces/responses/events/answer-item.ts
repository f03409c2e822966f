import { parseJson } from '../../../../core/parse-json.ts'
import { isJsonObject, parseJsonObject, type Json, type JsonObject } from '../../../../core/json.ts'
import type { ItemType } from '../item-id.ts'
import type { ToolOrigin } from '../request/tool-table.ts'

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'
export type Item = JsonObject & { type: ItemType }

/** A piece of an answer, whatever way it came. */
export type AnswerPiece =
  | { kind: 'reasoning'; text: string }
  | { kind: 'text'; text: string; logprobs: readonly Json[]; annotations: readonly Json[] }
  | { kind: 'refusal'; text: string }
  /** `text` is its arguments as JSON. */
  | { kind: 'call'; text: string; callId: string; origin: ToolOrigin }

export const textPart = (
  text: string,
  logprobs: readonly Json[],
  annotations: readonly Json[],
): JsonObject => ({
  type: 'output_text',
  annotations,
  logprobs,
  text,
})

/** Free text that a model wrapped into the one argument of a function; as it came where it did not. */
export function unwrapInput(text: string): string {
  const value = parseJson(text)
  return isJsonObject(value) && typeof value.input === 'string' ? value.input : text
}

function callItem(
  { text, callId, origin }: Extract<AnswerPiece, { kind: 'call' }>,
  status: ItemStatus,
): Item {
  const { name, namespace } = origin
  const named = { name, ...(namespace === null ? {} : { namespace }) }
  const begun = status === 'in_progress'
  switch (origin.kind) {
    case 'custom':
      return {
        type: 'custom_tool_call',
        status,
        call_id: callId,
        ...named,
        input: begun ? '' : unwrapInput(text),
      }
    case 'tool_search': {
      const found = begun ? {} : (parseJsonObject(text) ?? {})
      return { type: 'tool_search_call', status, call_id: callId, execution: 'client', arguments: found }
    }
    case 'function':
      return {
        type: 'function_call',
        status,
        call_id: callId,
        ...named,
        arguments: begun ? '' : text || '{}',
      }
  }
}

/** One output item without its id; empty where it is in progress. */
export function answerItem(piece: AnswerPiece, status: ItemStatus): Item {
  const begun = status === 'in_progress'
  switch (piece.kind) {
    case 'reasoning':
      return { type: 'reasoning', summary: begun ? [] : [{ type: 'summary_text', text: piece.text }] }
    case 'text': {
      const part = textPart(piece.text, piece.logprobs, piece.annotations)
      return { type: 'message', status, role: 'assistant', content: begun ? [] : [part] }
    }
    case 'refusal': {
      const part = { type: 'refusal', refusal: piece.text }
      return { type: 'message', status, role: 'assistant', content: begun ? [] : [part] }
    }
    case 'call':
      return callItem(piece, status)
  }
}
