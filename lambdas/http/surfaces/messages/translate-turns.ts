import { isJsonObject, parseJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { chatCallIdOf } from '../translation/chat-name.ts'
import { adjoinResults } from './adjoin-results.ts'
import type { Findings } from '../translation/findings.ts'
import { resultBlocks } from '../translation/result-blocks.ts'
import type { ToolNames } from './tool-names.ts'
import { blocksOf, contentParts, joinTexts, stringOf, textsOf } from './translate-blocks.ts'

const HOSTED = /^(?:server_tool_use|mcp_tool_use|compaction)$|_tool_result$/

const isText = ({ type }: JsonObject): boolean => type === 'text'

/** One result of a tool: its text, and the images and files that tool messages of the chat API cannot hold. */
function translateResult(block: JsonObject, param: string, findings: Findings) {
  const parts = resultBlocks(block.content).flatMap(inner =>
    contentParts(inner, `${param}.content`, findings),
  )
  const text = parts
    .filter(isText)
    .map(part => stringOf(part.text))
    .join('\n')
  const told = block.is_error === true ? `Error: ${text}` : text
  return {
    // Hosts refuse a result without content.
    message: { role: 'tool', tool_call_id: chatCallIdOf(stringOf(block.tool_use_id)), content: told || ' ' },
    media: parts.filter(part => !isText(part)),
  }
}

/** Results stand before everything else that the turn says: hosts want them directly behind their calls. */
function userTurn(content: Json | undefined, param: string, findings: Findings): readonly JsonObject[] {
  const results: JsonObject[] = []
  const media: JsonObject[] = []
  const said: JsonObject[] = []
  for (const [place, block] of blocksOf(content).entries()) {
    const at = `${param}.content[${place}]`
    if (block.type === 'tool_result') {
      const result = translateResult(block, at, findings)
      results.push(result.message)
      media.push(...result.media)
    } else if (typeof block.type === 'string' && HOSTED.test(block.type)) findings.drop(block.type)
    else said.push(...contentParts(block, at, findings))
  }
  const parts = [...media, ...said]
  return parts.length > 0 ? [...results, { role: 'user', content: joinTexts(parts) }] : results
}

function assistantTurn(content: Json | undefined, names: ToolNames, findings: Findings): JsonObject | null {
  const blocks = blocksOf(content)
  const calls: JsonObject[] = []
  const thoughts: string[] = []
  for (const { type, ...block } of blocks) {
    if (type === 'tool_use') {
      const name = names.chatNameOf(stringOf(block.name))
      const { input } = block
      const isWritten = typeof input === 'string' && parseJsonObject(input) !== undefined
      const args = isWritten ? input : JSON.stringify(input ?? {})
      calls.push({
        id: chatCallIdOf(stringOf(block.id)),
        type: 'function',
        function: { name, arguments: args },
      })
    } else if (type === 'thinking') thoughts.push(stringOf(block.thinking))
    // Only the provider that sealed it can read it.
    else if (type === 'redacted_thinking') findings.drop('thinking')
    else if (type !== 'text') findings.drop(stringOf(type) || 'content')
  }
  const text = textsOf(content).join('')
  if (text === '' && calls.length === 0) return null
  const thought = thoughts.join('')
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(thought === '' ? {} : { reasoning_content: thought }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

/** Two turns of the assistant in a row are one: hosts refuse calls that are spread over several messages. */
function joinAssistants(one: JsonObject, other: JsonObject): JsonObject {
  const join = (name: string): JsonObject => {
    const joined = stringOf(one[name]) + stringOf(other[name])
    return joined === '' ? {} : { [name]: joined }
  }
  const callsOf = ({ tool_calls: calls }: JsonObject): readonly Json[] => (Array.isArray(calls) ? calls : [])
  const calls = [...callsOf(one), ...callsOf(other)]
  return {
    role: 'assistant',
    content: null,
    ...join('content'),
    ...join('reasoning_content'),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

const asParts = (content: Json | undefined): readonly Json[] =>
  Array.isArray(content) ? content : [{ type: 'text', text: stringOf(content) }]

/** An instruction in the middle goes with what the user said: templates refuse or misplace a message of its own. */
function addInstruction(messages: JsonObject[], text: string): void {
  const last = messages.at(-1)
  if (last?.role !== 'user') return void messages.push({ role: 'user', content: text })
  const { content } = last
  const joined =
    typeof content === 'string' ? `${content}\n\n${text}` : [...asParts(content), { type: 'text', text }]
  messages[messages.length - 1] = { ...last, content: joined }
}

/** The turns of a Messages body as chat messages, in the order that the chat API demands. */
export function translateTurns(
  turns: Json | undefined,
  names: ToolNames,
  findings: Findings,
): readonly JsonObject[] {
  const messages: JsonObject[] = []
  for (const [place, turn] of (Array.isArray(turns) ? turns : []).entries()) {
    if (!isJsonObject(turn)) continue
    const { role, content } = turn
    const last = messages.at(-1)
    if (role === 'assistant') {
      const message = assistantTurn(content, names, findings)
      if (!message) continue
      if (last?.role === 'assistant') messages[messages.length - 1] = joinAssistants(last, message)
      else messages.push(message)
    } else if (role === 'system') {
      const text = textsOf(content).join('\n\n')
      if (text !== '') addInstruction(messages, text)
    } else messages.push(...userTurn(content, `messages[${place}]`, findings))
  }
  return adjoinResults(messages)
}
