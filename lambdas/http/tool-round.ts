import { createHash } from 'node:crypto'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { REQUEST_HEADERS } from '../contract.ts'
import type { Caller } from '../core/caller.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { joinFinished, readFinished } from '../core/routing/finished-calls.ts'
import type { ToolRound } from '../core/chat-request.ts'
import { headerOf } from './request-headers.ts'
import { sessionTokenOf } from './session-token.ts'
import type { ChatBody } from './surfaces/chat-schema.ts'

const RESULT_ROLES: ReadonlySet<unknown> = new Set(['tool', 'function'])

/** The same id of two clients means two sessions. Neither the id nor the client can be read from it. */
function sessionOf(event: LambdaFunctionURLEvent, { name }: Caller, native: JsonObject): string | null {
  const id = sessionTokenOf(event, native)
  if (id === undefined) return null
  return createHash('sha256')
    .update(JSON.stringify([name, id]))
    .digest('hex')
    .slice(0, 32)
}

/** A result of a tool, in any of the APIs: a message of its own, an item, or a block among the user's. */
function holdsResult({ role, type, content }: JsonObject): boolean {
  if (RESULT_ROLES.has(role)) return true
  if (typeof type === 'string' && type.endsWith('_output')) return true
  return Array.isArray(content) && content.some(block => isJsonObject(block) && block.type === 'tool_result')
}

/** Results of tools came after the last question: a new one begins a first round again. */
function isLaterRound({ messages, input }: JsonObject): boolean {
  const turns: readonly Json[] = Array.isArray(messages) ? messages : Array.isArray(input) ? input : []
  for (const turn of turns.toReversed()) {
    if (!isJsonObject(turn)) continue
    if (holdsResult(turn)) return true
    if (turn.role === 'user') return false
  }
  return false
}

/**
 * Reads from a request and its headers where a conversation with tools stands.
 * @param native as the client wrote it
 * @param chat the same as chat completions JSON
 */
export function toolRoundOf(
  event: LambdaFunctionURLEvent,
  caller: Caller,
  native: JsonObject,
  { messages }: Pick<ChatBody, 'messages'>,
): ToolRound {
  const results = messages.filter(({ role }) => RESULT_ROLES.has(role))
  const answered = results.flatMap(({ tool_call_id: id }) => (typeof id === 'string' ? [id] : []))
  const named = headerOf(event, REQUEST_HEADERS.completedToolCalls)
  const session = sessionOf(event, caller, native)
  return {
    later: isLaterRound(native),
    finished: joinFinished(named === undefined ? [] : readFinished(named), answered),
    session,
    tracked: session !== null || named !== undefined,
  }
}
