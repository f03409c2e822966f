import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import type { Findings } from '../translation/findings.ts'
import type { ToolNames } from './tool-names.ts'
import { blocksOf, stringOf } from './translate-blocks.ts'

/** A tool of the client's own; the type is often left out. */
const isOwn = ({ type }: JsonObject): boolean => type === undefined || type === null || type === 'custom'

const CHOICES: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none' }

/** Names of tools that a search has found, and of those that were called: they can be called from then on. */
function namedTools(messages: Json | undefined): ReadonlySet<string> {
  const names = new Set<string>()
  const turns = Array.isArray(messages) ? messages.filter(isJsonObject) : []
  for (const block of turns.flatMap(({ content }) => blocksOf(content))) {
    if (block.type === 'tool_use') names.add(stringOf(block.name))
    if (block.type !== 'tool_result') continue
    for (const inner of blocksOf(block.content)) {
      if (inner.type === 'tool_reference') names.add(stringOf(inner.tool_name))
    }
  }
  return names
}

function chatToolOf(tool: JsonObject, names: ToolNames): JsonObject {
  const { name, description, input_schema: schema, strict } = tool
  const { $schema: _, ...parameters }: JsonObject = isJsonObject(schema) ? schema : {}
  return {
    type: 'function',
    function: {
      name: names.chatNameOf(stringOf(name)),
      ...(typeof description === 'string' ? { description } : {}),
      parameters: Object.keys(parameters).length > 0 ? parameters : { type: 'object', properties: {} },
      ...(strict === true ? { strict } : {}),
    },
  }
}

/** The tools that the model may choose from, and how it must. */
export function translateTools(native: JsonObject, names: ToolNames, findings: Findings): JsonObject {
  const listed = Array.isArray(native.tools) ? native.tools.filter(isJsonObject) : []
  const choice: JsonObject = isJsonObject(native.tool_choice) ? native.tool_choice : {}
  const named = listed.some(tool => tool.defer_loading === true) ? namedTools(native.messages) : null
  const own = listed.filter(isOwn)
  const usable = own.filter(tool => tool.defer_loading !== true || named?.has(stringOf(tool.name)) === true)
  const hosted = listed.filter(tool => !isOwn(tool))
  const isForced = choice.type === 'tool' && hosted.some(({ name }) => name === choice.name)
  if (isForced) findings.needNative('tool_choice')
  if (hosted.length > 0 && own.length === 0 && choice.type !== 'none') findings.needNative('tools')
  for (const { name, type } of hosted) findings.drop(`tools.${stringOf(name) || stringOf(type)}`)
  // Hosts refuse a choice among no tools.
  if (usable.length === 0) return {}
  const forced = { type: 'function', function: { name: names.chatNameOf(stringOf(choice.name)) } }
  const chosen = choice.type === 'tool' ? forced : CHOICES[stringOf(choice.type)]
  return {
    tools: usable.map(tool => chatToolOf(tool, names)),
    ...(chosen === undefined ? {} : { tool_choice: chosen }),
    ...(choice.disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {}),
  }
}
