import { isJsonObject, type Json, type JsonObject } from '../../json.ts'

const REASONING_FIELDS: ReadonlySet<string> = new Set(['reasoning_content', 'reasoning', 'reasoning_details'])

const isAbsent = (value: Json | undefined): boolean => value === undefined || value === null || value === ''

function pick(fields: JsonObject, wanted: (name: string, value: Json | undefined) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => wanted(name, value)))
}

const isFilled = (fields: JsonObject): boolean => Object.keys(fields).length > 0

const withIndex = (call: JsonObject, index: number): JsonObject => ({ ...call, index })

/** The deltas of one message in the order in which a model makes them: role, reasoning, content, tool calls. */
function messageDeltas(message: JsonObject): { role: JsonObject; parts: readonly JsonObject[] } {
  const { role, content, tool_calls: calls, ...rest } = message
  const fields = { content, ...rest }
  const reasoning = pick(fields, (name, value) => !isAbsent(value) && REASONING_FIELDS.has(name))
  const spoken = pick(fields, (name, value) => !isAbsent(value) && !REASONING_FIELDS.has(name))
  const indexed = (Array.isArray(calls) ? calls.filter(isJsonObject) : []).map(withIndex)
  return {
    role: {
      role: role ?? 'assistant',
      content: content === undefined || content === null ? null : '',
      ...pick(rest, (_, value) => isAbsent(value)),
    },
    parts: [reasoning, spoken, indexed.length > 0 ? { tool_calls: indexed } : {}].filter(isFilled),
  }
}

/** A whole completion as the chunks that a stream would have brought; usage on a chunk of its own, if asked for. */
export function unfoldCompletion(
  completion: JsonObject,
  { includeUsage }: { includeUsage: boolean },
): JsonObject[] {
  const { choices, usage, ...fields } = completion
  const chunk = (parts: readonly JsonObject[]): JsonObject => ({
    ...fields,
    object: 'chat.completion.chunk',
    choices: parts,
  })

  function unfoldChoice(choice: Json, place: number): JsonObject[] {
    if (!isJsonObject(choice)) return []
    const { index = place, message, logprobs, finish_reason: finish = null, ...rest } = choice
    const { role, parts } = messageDeltas(isJsonObject(message) ? message : {})
    const piece = (delta: JsonObject): JsonObject => ({ index, delta, finish_reason: null })
    return [
      ...[role, ...parts].map(delta => chunk([piece(delta)])),
      chunk([
        { ...rest, index, delta: {}, ...(logprobs === undefined ? {} : { logprobs }), finish_reason: finish },
      ]),
    ]
  }

  const chunks = (Array.isArray(choices) ? choices : []).flatMap(unfoldChoice)
  return includeUsage && isJsonObject(usage) ? [...chunks, { ...chunk([]), usage }] : chunks
}
