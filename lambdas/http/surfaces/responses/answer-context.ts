import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../core/json.ts'
import type { Item } from './events/answer-item.ts'
import { clientWaysOf, type ClientWays } from './client-ways.ts'
import { keepingItemId, plainItemId } from './item-id.ts'
import type { ResponseHead } from './response-object.ts'
import { createToolTable, type ToolTable } from './request/tool-table.ts'

/** All that the translation of one answer refers to. */
export type AnswerContext = {
  head: ResponseHead
  /** Estimated. */
  promptTokens: number
  table: ToolTable
  ways: ClientWays
  /** Messages are held until they are whole, so that their ids can carry them. */
  holdsMessages: boolean
  plainItemId(item: Item, place: number): string
  /** For a call that its model gave none. */
  callId(index: number): string
  /** Carries the item where a client may refer to it later. */
  keptItemId(item: Item, place: number): string
}

/** What an answer is known by before it is translated. */
export type AnswerSource = {
  /** Unique to the answer. */
  seed: string
  native: JsonObject
  userAgent: string
  model: string
  /** Epoch milliseconds. */
  createdAt: number
  promptTokens: number
}

export function createAnswerContext({
  seed,
  native,
  userAgent,
  model,
  createdAt,
  promptTokens,
}: AnswerSource): AnswerContext {
  const id = `resp_${createHash('sha256').update(seed).digest('hex').slice(0, 48)}`
  const ways = clientWaysOf(userAgent)
  // A client that wants nothing stored sends everything again.
  const mayRefer = native.store !== false
  const isReferred = ({ type }: Item): boolean => mayRefer && (type === 'message' || type === 'reasoning')
  return {
    promptTokens,
    head: { id, createdAt: Math.floor(createdAt / 1000), model, native },
    table: createToolTable(native),
    ways,
    holdsMessages: mayRefer && ways.refersToItems,
    plainItemId: ({ type }, place) => plainItemId(type, id, place),
    callId: index => `call_${id.slice('resp_'.length, -4)}${index}`,
    keptItemId: (item, place) =>
      isReferred(item) ? keepingItemId(item, id, place) : plainItemId(item.type, id, place),
  }
}
