import { createHash } from 'node:crypto'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { REQUEST_HEADERS } from '../contract.ts'
import { joinFinished, readFinished } from '../core/routing/finished-calls.ts'
import type { ToolRound } from '../core/routing/tool-round.ts'
import { presentedKeys } from './authenticate.ts'
import type { ChatBody } from './chat-schema.ts'
import { headerOf } from './request-headers.ts'

const RESULT_ROLES: ReadonlySet<string> = new Set(['tool', 'function'])

/** Who calls, as far as it is the same from request to request: an AWS role's session changes, and the role does not. */
function callerOf(event: LambdaFunctionURLEvent): readonly string[] {
  // The library's type leaves out what the platform adds where it has verified a signature.
  const { authorizer } = event.requestContext as { authorizer?: { iam?: { callerId?: string } } }
  const verified = authorizer?.iam?.callerId?.split(':')[0]
  return verified === undefined ? presentedKeys(event) : [verified]
}

/** The same id of two clients means two sessions. Neither the id nor the key can be read from it. */
function sessionOf(event: LambdaFunctionURLEvent): string | null {
  const id = headerOf(event, REQUEST_HEADERS.session) ?? headerOf(event, REQUEST_HEADERS.idempotencyKey)
  if (id === undefined) return null
  return createHash('sha256')
    .update(JSON.stringify([callerOf(event), id]))
    .digest('hex')
    .slice(0, 32)
}

/** Reads from messages and headers where a conversation with tools stands. */
export function toolRoundOf(event: LambdaFunctionURLEvent, { messages }: ChatBody): ToolRound {
  const results = messages.filter(({ role }) => RESULT_ROLES.has(role))
  const answered = results.flatMap(({ tool_call_id: id }) => (typeof id === 'string' ? [id] : []))
  const named = headerOf(event, REQUEST_HEADERS.completedToolCalls)
  const session = sessionOf(event)
  return {
    later: results.length > 0,
    finished: joinFinished(named === undefined ? [] : readFinished(named), answered),
    session,
    tracked: session !== null || named !== undefined,
  }
}
