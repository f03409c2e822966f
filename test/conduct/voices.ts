import type { JsonObject } from '../../lambdas/core/json.ts'
import { chatVoice } from './voices/chat-voice.ts'
import { messagesVoice } from './voices/messages-voice.ts'
import { responsesVoice } from './voices/responses-voice.ts'

/** How one API puts the same answer. Events are text as it goes over the wire. */
export type Voice = {
  /** What stands before any text. */
  beginning(model: string): readonly string[]
  token(model: string, position: number): string
  /** @param mark whether the event comes that only says that nothing follows, where the API has one */
  end(model: string, asked: { mark: boolean; body: JsonObject }): readonly string[]
  /** The answer that is not streamed. */
  whole(model: string): JsonObject
}

export const VOICES = { chat: chatVoice, responses: responsesVoice, messages: messagesVoice } as const
export type ApiName = keyof typeof VOICES

/** The API in which a path is asked. */
export const apiOf = (path: string): ApiName =>
  path.endsWith('/responses') ? 'responses' : path.endsWith('/messages') ? 'messages' : 'chat'
