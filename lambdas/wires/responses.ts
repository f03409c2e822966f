import type { Path } from '../core/answers/event-template.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { createResponseFold } from './fold-response.ts'
import type { NativeWire } from './native-wire.ts'
import { unfoldResponse } from './unfold-response.ts'

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Usage in the chat API's words. */
function usageOf(response: JsonObject): JsonObject {
  const { usage } = response
  if (!isJsonObject(usage)) return {}
  const { input_tokens: input, output_tokens: output, total_tokens: total } = usage
  return { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: total } }
}

const chunk = (delta: JsonObject, finish: string | null = null, more: JsonObject = {}): JsonObject => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})

const INCOMPLETE: Readonly<Record<string, string>> = { content_filter: 'content_filter' }

/** How a response ended, as the end of a chat answer; null = it failed, or has not ended. */
function endOf(response: JsonObject, delta: JsonObject = {}): JsonObject | null {
  const { status, incomplete_details: details } = response
  if (status === 'completed') return chunk(delta, 'stop', usageOf(response))
  if (status !== 'incomplete') return null
  const reason = isJsonObject(details) ? text(details.reason) : ''
  return chunk(delta, INCOMPLETE[reason] ?? 'length', usageOf(response))
}

const FAILED: ReadonlySet<unknown> = new Set(['failed', 'cancelled'])

/** The last event tells by its name how the answer ended, and the response in it may know better. */
function readEnd(type: string, response: JsonObject, answered: boolean): JsonObject | 'error' {
  const { status, error } = response
  const named = type.slice('response.'.length)
  if (FAILED.has(status) || (status !== named && isJsonObject(error))) return 'error'
  const ended = { ...response, status: status === 'incomplete' ? status : named }
  return endOf(ended, answered ? {} : wholeDelta(response.output)) ?? chunk({})
}

/** Messages and thoughts begin empty; anything else that begins is something that was done. */
function callDelta(item: Json | undefined): JsonObject {
  if (!isJsonObject(item) || item.type === 'message' || item.type === 'reasoning') return {}
  return { tool_calls: [{ index: 0, function: { name: text(item.name) || text(item.type) } }] }
}

const startOf = (item: Json | undefined): JsonObject => chunk(callDelta(item))

/** What an item says that came without deltas. */
function itemText(item: Json | undefined): JsonObject {
  if (!isJsonObject(item)) return {}
  const parts = [item.content, item.summary].flatMap(list => (Array.isArray(list) ? list : []))
  const said = parts
    .flatMap(part => (isJsonObject(part) ? [text(part.text) || text(part.refusal)] : []))
    .join('')
  if (said === '') return {}
  return item.type === 'reasoning' ? { reasoning_content: said } : { content: said }
}

const isCall = (item: Json): boolean =>
  isJsonObject(item) && item.type !== 'message' && item.type !== 'reasoning'

/** What all items say together, where nothing of them came before. */
function wholeDelta(output: Json | undefined): JsonObject {
  const items = Array.isArray(output) ? output : []
  const deltas = items.map(item => (isCall(item) ? callDelta(item) : itemText(item)))
  return Object.assign({}, ...deltas)
}

function readWhole(response: JsonObject): readonly JsonObject[] | null {
  const output = Array.isArray(response.output) ? response.output : null
  // Work in the background has been accepted, and is no answer yet.
  const isAccepted = response.status === 'queued' || response.status === 'in_progress'
  if (output && isAccepted) return [chunk({ content: ' ' }), chunk({}, 'stop', usageOf(response))]
  const end = output && endOf(response)
  if (!output || !end) return null
  return [...output.map(item => (isCall(item) ? startOf(item) : chunk(itemText(item)))), end]
}

/** Some hosts send texts and items whole, and no deltas. */
function readDone(type: string, event: JsonObject): JsonObject {
  if (type === 'response.output_item.done') {
    return chunk(isCall(event.item ?? null) ? callDelta(event.item) : itemText(event.item))
  }
  const isText = type === 'response.output_text.done' || type === 'response.refusal.done'
  return chunk(isText ? { content: text(event.text) || text(event.refusal) } : {})
}

function readEvent(event: JsonObject, answered: boolean): JsonObject | 'error' {
  const type = text(event.type)
  if (type === 'error' || type === 'response.failed' || isJsonObject(event.error)) return 'error'
  if (isJsonObject(event.response) && (type === 'response.completed' || type === 'response.incomplete')) {
    return readEnd(type, event.response, answered)
  }
  if (type === 'response.output_item.added') return startOf(event.item)
  if (type.endsWith('.delta')) {
    const delta = text(event.delta)
    return chunk(type.includes('reasoning') ? { reasoning_content: delta } : { content: delta })
  }
  return answered ? chunk({}) : readDone(type, event)
}

const COUNTS_AND_PADDING: readonly string[] = ['sequence_number', 'obfuscation']

function varying(event: JsonObject): readonly Path[] | null {
  if (!text(event.type).endsWith('.delta') || text(event.delta) === '') return null
  const others = COUNTS_AND_PADDING.filter(name => event[name] !== undefined)
  return [['delta'], ...others.map(name => [name])]
}

const idOf = (event: JsonObject): Json | undefined =>
  isJsonObject(event.response) ? event.response.id : event.object === 'response' ? event.id : undefined

/** OpenAI's Responses API, as an endpoint speaks it. https://platform.openai.com/docs/api-reference/responses */
export const responsesWire: NativeWire = {
  headers: {},
  readEvent,
  varying,
  readWhole,
  goesByNames: false,
  unfold: unfoldResponse,
  createFold: createResponseFold,
  isEnd: ({ type }) => type === 'response.completed' || type === 'response.incomplete',
  answerIdOf: event => text(idOf(event)) || null,
}
