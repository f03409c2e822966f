import { hash } from 'node:crypto'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import type { Caller } from '../core/caller.ts'
import type { Conversation } from '../core/chat-request.ts'
import type { JsonObject } from '../core/json.ts'
import { sessionTokenOf } from './session-token.ts'
import type { ChatBody } from './surfaces/chat-schema.ts'

type Message = ChatBody['messages'][number]

const INSTRUCTIONS: ReadonlySet<string> = new Set(['system', 'developer'])
const ANSWERS: ReadonlySet<string> = new Set(['assistant', 'tool', 'function'])

/** Of a text, in characters: what differs further on is another length, as good as always. */
const MOST_CHARACTERS = 16_384

/** A text by its beginning and its length; of pictures and files there are too many bytes to look at. */
function summaryOf({ content }: Message): readonly (string | number)[] {
  if (content === undefined || content === null) return []
  const parts = typeof content === 'string' ? [{ text: content }] : content
  const texts = parts.map(({ text }) => (typeof text === 'string' ? text : ''))
  return texts.flatMap(text => [text.slice(0, MOST_CHARACTERS), text.length])
}

/** What every turn of a conversation repeats: the instructions, and the first thing that the user says. */
function beginningOf(messages: readonly Message[]): readonly unknown[] {
  const first = messages.findIndex(({ role }) => role === 'user')
  const before = first < 0 ? messages : messages.slice(0, first)
  const instructions = before.filter(({ role }) => INSTRUCTIONS.has(role))
  return [...instructions, ...messages.slice(first, first + 1)].map(summaryOf)
}

/**
 * The conversation of a request: by the client's id for its session, else by how it begins. Each client and each
 * model has its own, because an agent that uses two models in one session holds two conversations.
 * @param native as the client wrote it
 * @param chat the same as chat completions JSON
 */
export function conversationOf(
  event: LambdaFunctionURLEvent,
  { name }: Caller,
  native: JsonObject,
  { model, messages }: Pick<ChatBody, 'model' | 'messages'>,
): Conversation {
  const token = sessionTokenOf(event, native)
  const named = token !== undefined
  const known = () => (named ? { token } : { beginning: beginningOf(messages) })
  let id: string | null = null
  return {
    id: () => (id ??= hash('sha256', JSON.stringify([name, model, known()])).slice(0, 32)),
    named,
    continued: messages.some(({ role }) => ANSWERS.has(role)),
  }
}
