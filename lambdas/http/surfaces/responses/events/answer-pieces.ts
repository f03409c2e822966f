import { isJsonObject, type Json, type JsonObject } from '../../../../core/json.ts'
import { reasoningOf } from '../../translation/reasoning-of.ts'
import type { AnswerPiece } from './answer-item.ts'
import type { ClientWays } from '../client-ways.ts'
import type { ToolOrigin, ToolTable } from '../request/tool-table.ts'

const stringOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

export const logprobsOf = ({ logprobs }: JsonObject): readonly Json[] =>
  isJsonObject(logprobs) ? listOf(logprobs.content) : []

/** Citations are nested in the chat API and flat here. */
export const annotationsOf = ({ annotations }: JsonObject): readonly Json[] =>
  listOf(annotations).flatMap(annotation => {
    if (!isJsonObject(annotation)) return []
    const citation = annotation.url_citation
    return isJsonObject(citation) ? [{ type: 'url_citation', ...citation }] : [annotation]
  })

/** What the model called; a name that nobody declared is the client's to refuse. */
export const originOf = (table: ToolTable, name: string): ToolOrigin =>
  table.originOf(name) ?? { kind: 'function', name, namespace: null }

/** Codex shows nothing of a refusal, so that it is told as text. */
export const refusalPiece = (text: string, { isCodex }: ClientWays): AnswerPiece =>
  isCodex ? { kind: 'text', text, logprobs: [], annotations: [] } : { kind: 'refusal', text }

/** The pieces of one whole chat choice, in the order in which a model makes them. */
export function answerPieces(choice: JsonObject, table: ToolTable, ways: ClientWays): readonly AnswerPiece[] {
  const message = isJsonObject(choice.message) ? choice.message : {}
  const { content, refusal, tool_calls: calls } = message
  const pieces: AnswerPiece[] = []
  const thought = reasoningOf(message)
  if (thought !== '') pieces.push({ kind: 'reasoning', text: thought })
  const text = { logprobs: logprobsOf(choice), annotations: annotationsOf(message) }
  if (typeof content === 'string' && content !== '') pieces.push({ kind: 'text', text: content, ...text })
  if (typeof refusal === 'string' && refusal !== '') pieces.push(refusalPiece(refusal, ways))
  for (const call of listOf(calls)) {
    if (!isJsonObject(call) || !isJsonObject(call.function)) continue
    const { name, arguments: args } = call.function
    const origin = originOf(table, stringOf(name))
    pieces.push({ kind: 'call', text: stringOf(args), callId: stringOf(call.id), origin })
  }
  return pieces
}
