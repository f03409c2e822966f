import type { LambdaFunctionURLEvent } from 'aws-lambda'
import { REQUEST_HEADERS } from '../contract.ts'
import { isJsonObject, parseJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { headerOf } from './request-headers.ts'

/**
 * Headers that hold one id for a whole session, in the order in which they count: ours, then those that agents send
 * by themselves. `x-client-request-id` is another one with each request of some clients.
 */
const HEADERS = [
  REQUEST_HEADERS.session,
  REQUEST_HEADERS.idempotencyKey,
  'x-session-id',
  'x-session-affinity',
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'thread-id',
] as const

const idIn = (value: Json | undefined): string | undefined =>
  (typeof value === 'string' && value.trim()) || undefined

/** `user` is no session: it names a person, in all of that person's conversations. */
function idInBody({ prompt_cache_key: cacheKey, metadata }: JsonObject): string | undefined {
  const named = isJsonObject(metadata) ? metadata : {}
  const user = typeof named.user_id === 'string' ? parseJsonObject(named.user_id) : undefined
  return idIn(cacheKey) ?? idIn(named.session_id) ?? idIn(user?.session_id)
}

/** The client's id for the whole session, as the client wrote it; undefined where it sends none. */
export function sessionTokenOf(event: LambdaFunctionURLEvent, native: JsonObject): string | undefined {
  for (const name of HEADERS) {
    const id = headerOf(event, name)
    if (id !== undefined) return id
  }
  return idInBody(native)
}
