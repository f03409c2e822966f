import type { CloseAnswer } from '../../engine/request/outcome.ts'

/** What a client will get; a body is never empty, because an empty streamed body hangs a Function URL. */
export type Reply = {
  status: number
  headers: Record<string, string>
  body: string | AsyncIterable<string>
  /** What must be settled before the handler resolves; called once, however the sending went. */
  close?: CloseAnswer
}

/** A reply of JSON. */
export function jsonReply(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

/** The same where the text of the JSON is to be sent as it is. */
export const jsonTextReply = (body: string): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body,
})
