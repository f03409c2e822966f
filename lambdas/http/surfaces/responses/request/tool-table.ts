import { isJsonObject, type Json, type JsonObject } from '../../../../core/json.ts'
import { chatNameOf, otherChatNameOf } from '../../translation/chat-name.ts'
import { flatFunction } from './flat-items.ts'
import { chatFunctionOf, isTranslated, type ToolKind } from './translate-tool.ts'

/** What a function of the chat request stands for in the Responses API. */
export type ToolOrigin = { kind: ToolKind; name: string; namespace: string | null }

/** The tools of one request under both of their names. */
export type ToolTable = {
  /** As the chat API takes them, with their origins, in order. */
  functions: readonly { origin: ToolOrigin; tool: JsonObject }[]
  /** Types of the tools that only a provider itself can run. */
  hosted: readonly string[]
  /** What the model called; undefined for a name that nobody declared. */
  originOf(chatName: string): ToolOrigin | undefined
  /** What a call of the history is called in a chat request. */
  chatNameOf(name: string, namespace: string | null): string
}

const LOADED_BY = new Set(['additional_tools', 'tool_search_output'])
const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)
const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : []

/** Tools that the request declares, and those that its items brought along later. */
function declaredTools({ tools, input }: JsonObject): readonly JsonObject[] {
  const loaded = listOf(input).filter(({ type }) => typeof type === 'string' && LOADED_BY.has(type))
  return [...listOf(tools), ...loaded.flatMap(item => listOf(item.tools))].map(flatFunction)
}

const keyOf = (name: string, namespace: string | null): string => JSON.stringify([namespace, name])

/** Reads every tool of a Responses body: functions, custom tools, members of namespaces, a client's tool search. */
export function createToolTable(body: JsonObject): ToolTable {
  const origins = new Map<string, ToolOrigin>()
  const names = new Map<string, string>()
  const functions: { origin: ToolOrigin; tool: JsonObject }[] = []
  const hosted: string[] = []

  function add(tool: JsonObject, namespace: string | null): void {
    const kind = isTranslated(tool)
    if (!kind) return void hosted.push(textOf(tool.type) ?? 'unknown')
    const name = textOf(tool.name) ?? kind
    const key = keyOf(name, namespace)
    // A tool that was found again is the same tool.
    if (names.has(key)) return
    const wanted = chatNameOf(name, namespace)
    const chatName = origins.has(wanted) ? otherChatNameOf(name, namespace) : wanted
    const origin = { kind, name, namespace }
    origins.set(chatName, origin)
    names.set(key, chatName)
    functions.push({ origin, tool: chatFunctionOf(tool, kind, chatName) })
  }

  for (const tool of declaredTools(body)) {
    if (tool.type !== 'namespace') add(tool, null)
    else for (const member of listOf(tool.tools)) add(member, textOf(tool.name))
  }
  return {
    functions,
    hosted,
    originOf: chatName => origins.get(chatName),
    chatNameOf: (name, namespace) => names.get(keyOf(name, namespace)) ?? chatNameOf(name, namespace),
  }
}
