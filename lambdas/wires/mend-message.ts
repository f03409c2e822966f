import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { createMissingInput } from './missing-input.ts'
import type { Mended } from './native-wire.ts'

const AS_IT_CAME: Mended = {}

/** The beginning of a message whose host has left it out: clients take nothing before one. */
const BEGINNING: JsonObject = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: '',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  },
}

const idOf = (message: Json | undefined): Json | undefined => (isJsonObject(message) ? message.id : undefined)

/**
 * Mends the events of one message of Anthropic's API, in order: a message begins once, with a list of content, before
 * anything else of it. One that begins inside another is a stranger's.
 */
export function createMessageMender(): (event: JsonObject) => Mended {
  const missingInput = createMissingInput()
  let begun: { id: Json | undefined } | null = null
  let hasContent = false

  function begin(event: JsonObject): Mended {
    const { message } = event
    if (begun) return hasContent && idOf(message) !== begun.id ? { isStrange: true } : { instead: null }
    begun = { id: idOf(message) }
    if (!isJsonObject(message) || Array.isArray(message.content)) return AS_IT_CAME
    return { instead: { ...event, message: { ...message, content: [] } } }
  }

  return event => {
    const { type } = event
    if (type === 'message_start') return begin(event)
    const isPart = typeof type === 'string' && (type.startsWith('content_block_') || type === 'message_delta')
    if (!isPart) return AS_IT_CAME
    const beginning = begun === null ? [BEGINNING] : []
    begun ??= { id: idOf(BEGINNING.message) }
    hasContent = true
    return { before: [...beginning, ...missingInput(event)] }
  }
}
