import { createHash } from 'node:crypto'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { REQUEST_HEADERS } from '../contract.ts'
import type { Caller } from '../core/caller.ts'
import { joinFinished, readFinished } from '../core/routing/finished-calls.ts'
import type { ToolRound } from '../core/routing/tool-round.ts'
import { headerOf } from './request-headers.ts'
import type { ChatBody } from './surfaces/chat-schema.ts'

const RESULT_ROLES: ReadonlySet<string> = new Set(['tool', 'function'])

/** The same id of two clients means two sessions. Neither the id nor the client can be read from it. */
function sessionOf(event: LambdaFunctionURLEvent, { name }: Caller): string | null {
  const id = headerOf(event, REQUEST_HEADERS.session) ?? headerOf(event, REQUEST_HEADERS.idempotencyKey)
  if (id === undefined) return null
  return createHash('sha256')
    .update(JSON.stringify([name, id]))
    .digest('hex')
    .slice(0, 32)
}

/** Reads from messages and headers where a conversation with tools stands. */
export function toolRoundOf(
  event: LambdaFunctionURLEvent,
  caller: Caller,
  { messages }: Pick<ChatBody, 'messages'>,
): ToolRound {
  const results = messages.filter(({ role }) => RESULT_ROLES.has(role))
  const answered = results.flatMap(({ tool_call_id: id }) => (typeof id === 'string' ? [id] : []))
  const named = headerOf(event, REQUEST_HEADERS.completedToolCalls)
  const session = sessionOf(event, caller)
  return {
    later: results.length > 0,
    finished: joinFinished(named === undefined ? [] : readFinished(named), answered),
    session,
    tracked: session !== null || named !== undefined,
  }
}
