import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { chatNameOf, otherChatNameOf } from '../translation/chat-name.ts'

/** What the tools of one request are called in the chat API, whose names are shorter, and what the client calls them. */
export type ToolNames = {
  chatNameOf(name: string): string
  /** A name that nobody declared is the client's to refuse. */
  nameOf(chatName: string): string
}

export function createToolNames(tools: Json | undefined): ToolNames {
  const chatNames = new Map<string, string>()
  const names = new Map<string, string>()
  for (const tool of Array.isArray(tools) ? tools.filter(isJsonObject) : []) {
    const { name }: JsonObject = tool
    if (typeof name !== 'string' || chatNames.has(name)) continue
    const usual = chatNameOf(name, null)
    const chatName = names.has(usual) ? otherChatNameOf(name, null) : usual
    chatNames.set(name, chatName)
    names.set(chatName, name)
  }
  return {
    chatNameOf: name => chatNames.get(name) ?? chatNameOf(name, null),
    nameOf: chatName => names.get(chatName) ?? chatName,
  }
}
