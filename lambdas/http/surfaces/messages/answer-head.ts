import { createHash } from 'node:crypto'
import type { ChatRequest } from '../../../core/chat-request.ts'
import { isJsonObject, type JsonObject } from '../../../core/json.ts'
import type { AttemptRecord } from '../../../core/routing/trail.ts'
import { createToolNames, type ToolNames } from './tool-names.ts'

/** What an answer is known by before it is translated. */
export type AnswerHead = {
  id: string
  model: string
  native: JsonObject
  names: ToolNames
  /** The client wants to see what the model thinks. */
  showsThinking: boolean
  /** Estimated. */
  promptTokens: number
  /** For a call that its model gave none. */
  callId(index: number): string
}

/** Thoughts of another model have no signature: they are shown only to a client that asked to see them. */
function wantsThinking({ thinking }: JsonObject): boolean {
  if (!isJsonObject(thinking)) return false
  return thinking.type !== 'disabled' && thinking.display !== 'omitted'
}

export function answerHead(
  { id, native, receivedAt, promptTokens }: ChatRequest,
  { endpoint, startedAfterMs }: AttemptRecord,
): AnswerHead {
  const seed = `${id} ${receivedAt} ${startedAfterMs} ${endpoint.id}`
  const hash = createHash('sha256').update(seed).digest('hex')
  return {
    id: `msg_${hash.slice(0, 24)}`,
    model: endpoint.model,
    native,
    names: createToolNames(native.tools),
    showsThinking: wantsThinking(native),
    promptTokens,
    callId: index => `toolu_${hash.slice(24, 44)}${index}`,
  }
}

/** The message that begins an answer, or holds a whole one. */
export const messageObject = ({ id, model }: AnswerHead, fields: JsonObject): JsonObject => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  ...fields,
})
