import { isJsonObject, type Json, type JsonObject } from '../../../../core/json.ts'
import { chatCallIdOf } from '../../translation/chat-name.ts'
import type { Findings } from '../../translation/findings.ts'
import { resultBlocks } from '../../translation/result-blocks.ts'
import { readItemId } from '../item-id.ts'
import { flatItems } from './flat-items.ts'
import { createMessageList, type MessageList } from './message-list.ts'
import type { ToolTable } from './tool-table.ts'
import { isText, mediaOf, partsOf, textOf, translateContent } from './translate-content.ts'

type Context = { list: MessageList; table: ToolTable; findings: Findings }
type ItemTranslation = (item: JsonObject, param: string, context: Context) => void

const stringOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const jsonText = (value: Json | undefined): string =>
  typeof value === 'string' && value !== '' ? value : JSON.stringify(value || {})

function message(item: JsonObject, param: string, { list, findings }: Context): void {
  const { role, content } = item
  if (role !== 'assistant') {
    const isInstruction = role === 'system' || role === 'developer'
    const translated = isInstruction
      ? textOf(content, '\n\n')
      : translateContent(content, `${param}.content`, findings)
    return list.say({ role: isInstruction ? role : 'user', content: translated })
  }
  const parts = partsOf(content)
  const refusals = parts.flatMap(({ refusal }) => (typeof refusal === 'string' ? [refusal] : []))
  for (const part of parts)
    if (!isText(part) && part.type !== 'refusal') findings.drop(`input.${stringOf(part.type) || 'content'}`)
  list.speak({ content: textOf(content, '') })
  if (refusals.length > 0) list.speak({ refusal: refusals.join('\n') })
}

function reasoning(
  { content, summary, encrypted_content: sealed }: JsonObject,
  _: string,
  context: Context,
): void {
  const thought = textOf(content, '') || textOf(summary, '\n\n')
  if (thought !== '') context.list.speak({ reasoning_content: thought })
  // Only the account that sealed it can read it.
  else if (typeof sealed === 'string') context.findings.drop('reasoning')
}

function call(item: JsonObject, name: string, args: string, { list, table }: Context): void {
  const namespace = typeof item.namespace === 'string' ? item.namespace : null
  list.call({
    id: chatCallIdOf(stringOf(item.call_id) || stringOf(item.id)),
    type: 'function',
    function: { name: table.chatNameOf(name, namespace), arguments: args },
  })
}

function output(item: JsonObject, param: string, { list, findings }: Context): void {
  const blocks = resultBlocks(item.output)
  list.answer(
    chatCallIdOf(stringOf(item.call_id)),
    textOf(blocks, '\n'),
    mediaOf(blocks, `${param}.output`, findings),
  )
}

function foundTools(item: JsonObject, _: string, { list }: Context): void {
  const tools = Array.isArray(item.tools) ? item.tools.filter(isJsonObject) : []
  const names = tools.map(({ name }) => stringOf(name)).filter(name => name !== '')
  const content =
    names.length > 0 ? `Tools that can be called now: ${names.join(', ')}` : 'No tools were found.'
  list.answer(chatCallIdOf(stringOf(item.call_id)), content, [])
}

/** Our own ids of items carry the item. */
function reference(item: JsonObject, param: string, context: Context): void {
  const id = stringOf(item.id)
  const kept = readItemId(id)
  if (kept) return translateItem(kept, param, context)
  // A thought that is lost changes little; a turn that is lost changes the conversation.
  if (id.startsWith('rs_')) return context.findings.drop('reasoning')
  context.findings.needState(param)
}

const ITEMS: Readonly<Record<string, ItemTranslation>> = {
  message,
  reasoning,
  function_call: (item, _, context) => call(item, stringOf(item.name), jsonText(item.arguments), context),
  custom_tool_call: (item, _, context) =>
    call(item, stringOf(item.name), JSON.stringify({ input: stringOf(item.input) }), context),
  tool_search_call: (item, _, context) => call(item, 'tool_search', jsonText(item.arguments), context),
  function_call_output: output,
  custom_tool_call_output: output,
  tool_search_output: foundTools,
  item_reference: reference,
  // Its tools stand in the table.
  additional_tools: () => undefined,
  web_search_call: (_, __, { findings }) => findings.drop('input.web_search_call'),
}

function translateItem(item: JsonObject, param: string, context: Context): void {
  // Some clients send messages without a type.
  const type = typeof item.type === 'string' ? item.type : 'message'
  const translate = Object.hasOwn(ITEMS, type) ? ITEMS[type] : undefined
  if (translate) translate(item, param, context)
  else context.findings.needNative(param)
}

/** The input of a Responses body as chat messages. */
export function translateItems(
  input: Json | undefined,
  table: ToolTable,
  findings: Findings,
): readonly JsonObject[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  const items = flatItems(input, type => type !== 'message' && Object.hasOwn(ITEMS, type))
  const list = createMessageList(items.map(({ item }) => item))
  for (const { item, param } of items) translateItem(item, param, { list, table, findings })
  return list.messages()
}
