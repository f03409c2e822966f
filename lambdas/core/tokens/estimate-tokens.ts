import { estimateMediaTokens } from './estimate-media-tokens.ts'
import { estimateTextTokens } from './estimate-text-tokens.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'

const TOKENS_PER_MESSAGE = 4
const TOKENS_PER_VALUE = 1
/** What every answer is opened with. */
const REPLY_TOKENS = 3

/** Fields of a request that the model reads besides the messages. */
const READ_FIELDS = ['tools', 'functions', 'response_format', 'prediction'] as const

/** Walks without recursion: a body may be nested deeper than the stack. */
function jsonTokens(root: Json | undefined): number {
  const open: (Json | undefined)[] = [root]
  let tokens = 0
  while (open.length > 0) {
    const value = open.pop()
    if (value === undefined || value === null) continue
    tokens += TOKENS_PER_VALUE
    if (typeof value === 'string') tokens += estimateTextTokens(value)
    else if (isJsonObject(value)) {
      for (const name in value) {
        tokens += estimateTextTokens(name)
        open.push(value[name])
      }
    } else if (Array.isArray(value)) for (const entry of value) open.push(entry)
  }
  return tokens
}

function partTokens(part: Json): number {
  return (isJsonObject(part) ? estimateMediaTokens(part) : null) ?? jsonTokens(part)
}

function messageTokens(message: Json): number {
  if (!isJsonObject(message)) return TOKENS_PER_MESSAGE + jsonTokens(message)
  const { role: _, content, ...rest } = message
  let tokens = TOKENS_PER_MESSAGE
  if (typeof content === 'string') tokens += estimateTextTokens(content)
  else if (Array.isArray(content)) for (const part of content) tokens += partTokens(part)
  else tokens += jsonTokens(content)
  return tokens + jsonTokens(Object.keys(rest).length > 0 ? rest : null)
}

/**
 * How many tokens a request's prompt will be, by a rule that knows no tokeniser: right within a third for ordinary
 * text. Takes anything for a body, in time linear in its size.
 */
export function estimatePromptTokens(body: JsonObject): number {
  const { messages } = body
  let tokens = REPLY_TOKENS
  if (Array.isArray(messages)) for (const message of messages) tokens += messageTokens(message)
  else tokens += jsonTokens(messages)
  for (const field of READ_FIELDS) tokens += jsonTokens(body[field])
  return Math.ceil(tokens)
}
