import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { limit, limitFields, MOST_CHOICES, MOST_FIELDS } from '../answer-limits.ts'
import { deltaOfChoice, nothingSpoken, type Spoken } from './choice-delta.ts'
import { isFinish, presentFinish } from '../finish-reasons.ts'
import { flattenMessage } from './flatten-message.ts'
import { createToolCallMender, type ToolCallMender } from './mend-tool-calls.ts'
import { isFilled } from './output-fields.ts'
import { argumentsText } from './read-tool-call.ts'
import { idAsText } from './id-as-text.ts'
import { withToolCall } from './legacy-call.ts'
import { wholeSeconds } from './whole-seconds.ts'
import { mapIfChanged, withFields } from './with-fields.ts'

type ChoiceState = {
  begun: boolean
  legacy: boolean
  spoken: Spoken
  calls: ToolCallMender
  names: Set<string>
}

export type ChunkNormaliser = {
  /** The chunk as clients understand it; the same object where nothing in it breaks them. */
  normalise(chunk: JsonObject): JsonObject
  /** What a choice still lacks at its end: arguments of calls that take none. Empty when asked again. */
  missingCalls(choice: number): readonly JsonObject[]
  called(choice: number): boolean
  /** The arguments of some call have begun and not ended. */
  isCut(): boolean
}

/** Legacy calls: text for arguments, and nothing at all where nothing is called. */
function fitFunctionCall({ function_call: call }: JsonObject): Json | undefined {
  if (!isJsonObject(call)) return call
  if (!isFilled(call)) return undefined
  return withFields(
    call,
    typeof call.arguments === 'object' ? { arguments: argumentsText(call.arguments) } : {},
  )
}

/** Usage inside a choice is the answer's; an error that says nothing is none, and clients throw it. */
function liftFields(chunk: JsonObject): JsonObject {
  const { id, choices, usage, object, created } = chunk
  const inChoice = (Array.isArray(choices) ? choices : []).find(
    choice => isJsonObject(choice) && isJsonObject(choice.usage),
  )
  const isOther = object === 'chat.completion' || object === 'text_completion'
  return withFields(chunk, {
    error: undefined,
    id: idAsText(id),
    created: wholeSeconds(created),
    ...(isJsonObject(inChoice) && !isJsonObject(usage) ? { usage: inChoice.usage } : {}),
    ...(isOther ? { object: 'chat.completion.chunk' } : {}),
  })
}

/**
 * For the chunks of one stream, in order: a delta in each choice, whatever stands in its place; a role first; content
 * as text; tool calls that add up; finish reasons that clients act on.
 * @param callId the id of the call at this position of this choice, where the host gives none
 * @param readsToolCalls whether the client would overlook a legacy call
 */
export function createChunkNormaliser(
  callId: (choice: number, position: number) => string,
  readsToolCalls = false,
): ChunkNormaliser {
  const states = new Map<number, ChoiceState>()

  function stateOf(index: number): ChoiceState {
    const known = states.get(index)
    if (known) return known
    const calls = createToolCallMender(position => callId(index, position))
    const state = {
      begun: false,
      legacy: readsToolCalls,
      spoken: nothingSpoken(),
      calls,
      names: new Set<string>(),
    }
    states.set(index, state)
    limit(states.size, MOST_CHOICES, 'choices')
    return state
  }

  function normaliseDelta(delta: JsonObject, state: ChoiceState): JsonObject {
    for (const name in delta) state.names.add(name)
    limit(state.names.size, MOST_FIELDS, 'fields')
    const isFirst = !state.begun
    state.begun = true
    const { role, tool_calls: calls } = delta
    const mended = Array.isArray(calls) && calls.length > 0 ? state.calls.mend(calls) : calls
    return withFields(flattenMessage(delta), {
      ...(isFilled(role) ? {} : { role: isFirst ? 'assistant' : undefined }),
      function_call: fitFunctionCall(delta),
      tool_calls: Array.isArray(mended) && mended.length === 0 && mended !== calls ? undefined : mended,
    })
  }

  function normaliseChoice(choice: Json, place: number): Json {
    if (!isJsonObject(choice)) return choice
    limitFields(choice)
    const index = typeof choice.index === 'number' ? choice.index : place
    const state = stateOf(index)
    const { finish_reason: finish } = choice
    const came = deltaOfChoice(choice, state.spoken, isFinish(finish))
    // What comes in both ways is one call.
    state.legacy &&= !isFilled(came.tool_calls)
    const delta = normaliseDelta(state.legacy ? withToolCall(came) : came, state)
    return withFields(choice, {
      index,
      delta,
      message: undefined,
      text: undefined,
      usage: undefined,
      finish_reason: isFinish(finish)
        ? presentFinish(finish, state.calls.count() > 0)
        : finish === undefined
          ? undefined
          : null,
    })
  }

  return {
    normalise(chunk) {
      limitFields(chunk)
      const { choices } = chunk
      if (!Array.isArray(choices) || choices.length === 0) return liftFields(chunk)
      limit(choices.length, MOST_CHOICES, 'choices')
      const objects = choices.every(isJsonObject) ? choices : choices.filter(isJsonObject)
      return withFields(liftFields(chunk), { choices: mapIfChanged(objects, normaliseChoice) })
    },
    missingCalls: choice => states.get(choice)?.calls.close() ?? [],
    called: choice => (states.get(choice)?.calls.count() ?? 0) > 0,
    isCut: () => [...states.values()].some(({ calls }) => calls.isCut()),
  }
}
