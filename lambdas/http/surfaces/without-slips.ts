import type { Json, JsonObject } from '../../core/json.ts'

const isEmptyList = (value: Json | undefined): boolean => Array.isArray(value) && value.length === 0
const isUnlimited = (value: Json | undefined): boolean => value === -1
const isNoChoice = (value: Json | undefined): boolean => value === 'none' || value === 'auto'

/** Fields that belong to tools, where there are none. */
function ofNoTools({
  tools,
  functions,
  parallel_tool_calls,
  tool_choice,
  function_call,
}: JsonObject): string[] {
  const hasTools = Array.isArray(tools) && tools.length > 0
  const hasFunctions = Array.isArray(functions) && functions.length > 0
  return [
    ...(isEmptyList(tools) ? ['tools'] : []),
    ...(isEmptyList(functions) ? ['functions'] : []),
    ...(!hasTools && parallel_tool_calls !== undefined ? ['parallel_tool_calls'] : []),
    ...(!hasTools && isNoChoice(tool_choice) ? ['tool_choice'] : []),
    ...(!hasFunctions && isNoChoice(function_call) ? ['function_call'] : []),
  ]
}

/**
 * A body without what clients send to say nothing, and what some hosts refuse: lists of no tools, how to choose among
 * them, and `-1` for no limit. The same object where there is none of it.
 */
export function withoutSlips(body: JsonObject): JsonObject {
  const limits = ['max_tokens', 'max_completion_tokens'].filter(name => isUnlimited(body[name]))
  const slips = new Set([...limits, ...ofNoTools(body)])
  if (slips.size === 0) return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => !slips.has(name)))
}
