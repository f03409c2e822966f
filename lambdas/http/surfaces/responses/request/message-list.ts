import type { Json, JsonObject } from '../../../../core/json.ts'
import { chatCallIdOf } from '../../translation/chat-name.ts'

/** Collects the messages of a conversation in the order that the chat API demands. */
export type MessageList = {
  /** A message of anyone but the assistant. */
  say(message: JsonObject): void
  /** Text of the assistant, joined with what it said, thought and called just before. */
  speak(fields: Texts): void
  call(toolCall: JsonObject): void
  /** The result of a call, with the images and files that it holds. */
  answer(callId: string, content: string, media: readonly JsonObject[]): void
  messages(): readonly JsonObject[]
}

type Texts = { [name: string]: string }

const isOutput = (type: Json | undefined): boolean => typeof type === 'string' && type.endsWith('_output')

/** Null where it would hold nothing but a thought, which no host takes alone. */
function assistantMessage({ content = '', ...rest }: Texts, calls: readonly JsonObject[]): JsonObject | null {
  if (content === '' && rest.refusal === undefined && calls.length === 0) return null
  const called = calls.length > 0 ? { tool_calls: calls } : {}
  return { role: 'assistant', content: content === '' ? null : content, ...rest, ...called }
}

/**
 * One assistant message for everything that it did in a row; results directly after it, images of results after all of
 * them, and whatever else stood between a call and its result after that: hosts refuse any other order.
 * @param items the items to come, so that a result that never comes is not waited for
 */
export function createMessageList(items: readonly JsonObject[]): MessageList {
  const answered = new Set(
    items.flatMap(({ call_id: id, type }) =>
      typeof id === 'string' && isOutput(type) ? [chatCallIdOf(id)] : [],
    ),
  )
  const messages: JsonObject[] = []
  const open = new Set<string>()
  let assistant: Texts | null = null
  let calls: JsonObject[] = []
  let media: JsonObject[] = []
  let held: JsonObject[] = []

  function endTurn(): void {
    if (assistant === null) return
    const message = assistantMessage(assistant, calls)
    if (message) messages.push(message)
    assistant = null
    calls = []
  }

  function endRound(): void {
    if (media.length > 0) messages.push({ role: 'user', content: media })
    messages.push(...held)
    media = []
    held = []
  }

  return {
    say(message) {
      if (open.size > 0) return void held.push(message)
      endTurn()
      endRound()
      messages.push(message)
    },
    speak(fields) {
      const isLate = open.size > 0 && assistant === null
      if (isLate) return void held.push(...[assistantMessage(fields, [])].filter(message => message !== null))
      if (open.size === 0) endRound()
      const before: Texts = assistant ?? {}
      const joined = Object.entries(fields).map(([name, text]) => [name, (before[name] ?? '') + text])
      assistant = { ...before, ...Object.fromEntries(joined) }
    },
    call(toolCall) {
      if (open.size === 0) endRound()
      assistant ??= {}
      calls.push(toolCall)
      if (typeof toolCall.id === 'string' && answered.has(toolCall.id)) open.add(toolCall.id)
    },
    answer(callId, content, found) {
      endTurn()
      messages.push({ role: 'tool', tool_call_id: callId, content })
      media.push(...found)
      open.delete(callId)
    },
    messages() {
      endTurn()
      endRound()
      return messages
    },
  }
}
