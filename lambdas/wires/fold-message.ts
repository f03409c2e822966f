import { parseExact } from '../core/exact-json.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { NativeFold } from './native-wire.ts'

type Block = { fields: Record<string, Json | undefined>; input: string }

const objectIn = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})
const listIn = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

/** Texts are appended to the field of the same name, whatever kind of delta brings them; anything else replaces it. */
function grow({ fields }: Block, delta: JsonObject): void {
  for (const [name, value] of Object.entries(delta)) {
    if (name === 'type') continue
    const before = fields[name]
    fields[name] = typeof value === 'string' && typeof before === 'string' ? before + value : value
  }
}

function addDelta(block: Block, delta: JsonObject): void {
  if (delta.type === 'input_json_delta') block.input += String(delta.partial_json ?? '')
  else if (delta.type === 'citations_delta') {
    block.fields.citations = [...listIn(block.fields.citations), delta.citation ?? null]
  } else grow(block, delta)
}

const withoutNulls = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/** Input whose JSON is broken is no input: throws. */
const contentOf = ({ fields, input }: Block): unknown =>
  input.trim() === '' ? fields : { ...fields, input: parseExact(input) }

/** Adds the events of Anthropic's API up to the message that is answered without a stream. */
export function createMessageFold(): NativeFold {
  let message: JsonObject | null = null
  const blocks = new Map<number, Block>()

  return {
    add(event) {
      const { type, index, delta, usage, ...rest } = event
      const block = blocks.get(Number(index))
      if (type === 'message_start') message = objectIn(event.message)
      if (type === 'content_block_start') {
        blocks.set(Number(index), { fields: { ...objectIn(event.content_block) }, input: '' })
      }
      if (type === 'content_block_delta' && block) addDelta(block, objectIn(delta))
      if (type !== 'message_delta' || message === null) return
      const counted = { ...objectIn(message.usage), ...withoutNulls(objectIn(usage)) }
      message = { ...message, ...objectIn(delta), ...withoutNulls(rest), usage: counted }
    },
    text() {
      if (message === null) return null
      const inOrder = [...blocks].toSorted(([one], [other]) => one - other)
      try {
        return JSON.stringify({ ...message, content: inOrder.map(([, block]) => contentOf(block)) })
      } catch {
        return null
      }
    },
  }
}
