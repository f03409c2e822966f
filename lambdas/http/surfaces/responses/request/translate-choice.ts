import { isJsonObject, type Json, type JsonObject } from '../../../../core/json.ts'
import type { Findings } from '../../translation/findings.ts'
import { flatFunction } from './flat-items.ts'
import type { ToolTable } from './tool-table.ts'

type Functions = ToolTable['functions']

const isNamed =
  ({ type, name, namespace = null }: JsonObject) =>
  ({ origin }: Functions[number]): boolean =>
    type === 'tool_search'
      ? origin.kind === type
      : type === 'namespace'
        ? origin.namespace === name
        : origin.name === name && (namespace === null || origin.namespace === namespace)

/** One tool that must be called. */
function forcedChoice(choice: JsonObject, { functions }: ToolTable, findings: Findings): Json | undefined {
  const forced = functions.find(isNamed(flatFunction(choice)))
  if (forced && isJsonObject(forced.tool.function)) {
    return { type: 'function', function: { name: forced.tool.function.name } }
  }
  findings.needNative('tool_choice')
  return undefined
}

/** The tools that the model may choose from, and how it must. */
export function translateChoice(
  { tool_choice: choice, parallel_tool_calls: parallel }: JsonObject,
  table: ToolTable,
  findings: Findings,
): JsonObject {
  let { functions } = table
  let chosen: Json | undefined = choice
  if (isJsonObject(choice) && choice.type === 'allowed_tools') {
    const allowed = Array.isArray(choice.tools) ? choice.tools.filter(isJsonObject) : []
    functions = functions.filter(entry => allowed.some(tool => isNamed(tool)(entry)))
    chosen = choice.mode
  } else if (isJsonObject(choice)) chosen = forcedChoice(choice, table, findings)
  else if (typeof choice === 'string' && table.hosted.includes(choice)) findings.needNative('tool_choice')
  if (table.hosted.length > 0 && functions.length === 0 && chosen !== 'none') findings.needNative('tools')
  for (const type of table.hosted) findings.drop(`tools.${type}`)
  // Hosts refuse a choice among no tools.
  if (functions.length === 0) return {}
  return {
    tools: functions.map(({ tool }) => tool),
    ...(chosen == null ? {} : { tool_choice: chosen }),
    ...(parallel == null ? {} : { parallel_tool_calls: parallel }),
  }
}
