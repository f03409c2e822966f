import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { limit, limitFields, MOST_CHOICES } from '../answer-limits.ts'
import { isFinish, presentFinish, shownFinish } from '../finish-reasons.ts'
import { holdsAnswer, holdsThought } from './output-fields.ts'
import { flattenMessage } from './flatten-message.ts'
import { createToolCallMender } from './mend-tool-calls.ts'
import { isFilled } from './output-fields.ts'
import { argumentsText } from './read-tool-call.ts'
import { idAsText } from './id-as-text.ts'
import { withToolCall } from './legacy-call.ts'
import { wholeSeconds } from './whole-seconds.ts'
import { mapIfChanged, withFields } from './with-fields.ts'

type CallId = (choice: number, position: number) => string

/** The calls of a whole message, each with an id of its own, a type, and arguments as text. */
function mendCalls(calls: readonly Json[], makeId: (position: number) => string): readonly Json[] {
  const mender = createToolCallMender(makeId)
  const objects = calls.filter(isJsonObject)
  const indexed = objects.map((call, index) => ({ ...call, index }))
  const mended = mender.mend(indexed).filter(isJsonObject)
  const lacking = new Set(mender.close().map(({ index }) => index))
  const completed = mended.map((call, place) => {
    const lacks = lacking.has(call.index)
    if (!lacks && call === indexed[place]) return objects[place] ?? call
    const { index: _, ...rest } = call
    const body = isJsonObject(rest.function) ? rest.function : {}
    return lacks ? { ...rest, function: { ...body, arguments: '{}' } } : rest
  })
  return completed.length === calls.length && completed.every((call, place) => call === calls[place])
    ? calls
    : completed
}

function mendMessage(message: JsonObject, makeId: (position: number) => string): JsonObject {
  const { tool_calls: calls, role, function_call: call } = message
  return withFields(flattenMessage(message), {
    ...(isFilled(role) ? {} : { role: 'assistant' }),
    ...(Array.isArray(calls) && calls.length > 0 ? { tool_calls: mendCalls(calls, makeId) } : {}),
    ...(isJsonObject(call) && !isFilled(call) ? { function_call: undefined } : {}),
    ...(isJsonObject(call) && isJsonObject(call.arguments)
      ? { function_call: { ...call, arguments: argumentsText(call.arguments) } }
      : {}),
  })
}

/** The message of a choice, in whatever field it came. */
function messageOf({ message, delta, text }: JsonObject): JsonObject {
  if (isJsonObject(message)) return message
  return isJsonObject(delta) ? delta : { role: 'assistant', content: typeof text === 'string' ? text : null }
}

/**
 * A whole answer as clients understand it: the same object where nothing in it breaks them. A finish reason that is
 * missing is filled in: the answer came whole.
 */
export function mendCompletion(completion: JsonObject, callId: CallId, readsToolCalls = false): JsonObject {
  const { id, choices, usage, object, created } = completion
  if (!Array.isArray(choices)) return completion
  limit(choices.length, MOST_CHOICES, 'choices')
  limitFields(completion)
  const objects = choices.every(isJsonObject) ? choices : choices.filter(isJsonObject)
  const inChoice = objects.find(choice => isJsonObject(choice.usage))?.usage
  const mended = mapIfChanged(objects, (choice, place) => {
    const index = typeof choice.index === 'number' ? choice.index : place
    const came = messageOf(choice)
    const message = mendMessage(readsToolCalls ? withToolCall(came) : came, position =>
      callId(index, position),
    )
    const called = Array.isArray(message.tool_calls) && message.tool_calls.length > 0
    const { finish_reason: finish } = choice
    const word = presentFinish(isFinish(finish) ? finish : 'stop', called)
    return withFields(choice, {
      index,
      message,
      delta: undefined,
      text: undefined,
      usage: undefined,
      finish_reason: holdsAnswer(message) || holdsThought(message) ? shownFinish(word) : word,
    })
  })
  return withFields(completion, {
    choices: mended,
    error: undefined,
    id: idAsText(id),
    created: wholeSeconds(created),
    ...(inChoice !== undefined && !isJsonObject(usage) ? { usage: inChoice } : {}),
    ...(object === 'chat.completion' || object === undefined ? {} : { object: 'chat.completion' }),
  })
}
