import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { createToolCallRouter } from './route-tool-call.ts'

type ChoiceMemory = { route: (delta: JsonObject) => number; called: boolean }

const hasEntries = (value: Json | undefined): value is readonly Json[] =>
  Array.isArray(value) && value.length > 0

/** The same list where no entry changes, so that what needs nothing is passed on as it came. */
function mapIfChanged(list: readonly Json[], change: (entry: Json, place: number) => Json): readonly Json[] {
  const changed = list.map(change)
  return changed.every((entry, place) => entry === list[place]) ? list : changed
}

/** Clients go by the finish reason to run tools; some hosts say `stop` even so. */
function presentFinish(choice: JsonObject, called: boolean): JsonObject {
  return called && choice.finish_reason === 'stop' ? { ...choice, finish_reason: 'tool_calls' } : choice
}

function indexCalls(choice: JsonObject, memory: ChoiceMemory): JsonObject {
  const { delta } = choice
  if (!isJsonObject(delta) || !hasEntries(delta.tool_calls)) return choice
  const calls = mapIfChanged(delta.tool_calls, call => {
    if (!isJsonObject(call)) return call
    memory.called = true
    const index = memory.route(call)
    return call.index === index ? call : { ...call, index }
  })
  return calls === delta.tool_calls ? choice : { ...choice, delta: { ...delta, tool_calls: calls } }
}

/**
 * For the chunks of one stream, in order: gives every tool call delta the index of its call, and presents a `stop`
 * after tool calls as `tool_calls`. A chunk that needs neither is returned as it is.
 */
export function createToolCallNormaliser(): (chunk: JsonObject) => JsonObject {
  const memories = new Map<number, ChoiceMemory>()

  function normaliseChoice(choice: Json, place: number): Json {
    if (!isJsonObject(choice)) return choice
    const index = typeof choice.index === 'number' ? choice.index : place
    const memory = memories.get(index) ?? { route: createToolCallRouter(), called: false }
    memories.set(index, memory)
    return presentFinish(indexCalls(choice, memory), memory.called)
  }

  return chunk => {
    if (!hasEntries(chunk.choices)) return chunk
    const choices = mapIfChanged(chunk.choices, normaliseChoice)
    return choices === chunk.choices ? chunk : { ...chunk, choices }
  }
}

/** The same for a whole answer: a `stop` beside tool calls is presented as `tool_calls`. */
export function normaliseCompletion(completion: JsonObject): JsonObject {
  if (!hasEntries(completion.choices)) return completion
  const choices = mapIfChanged(completion.choices, choice => {
    if (!isJsonObject(choice) || !isJsonObject(choice.message)) return choice
    return presentFinish(choice, hasEntries(choice.message.tool_calls))
  })
  return choices === completion.choices ? completion : { ...completion, choices }
}
