import { estimateTextTokens } from './estimate-text-tokens.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'

const SPOKEN_FIELDS = ['content', 'refusal', 'tool_calls', 'function_call'] as const
/** Hosts repeat the same thoughts under several names: the first of these that is there counts. */
const THOUGHT_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const
/** Labels that no model writes, token by token. */
const LABELS: ReadonlySet<string> = new Set(['id', 'type', 'index'])

function textTokens(root: Json | undefined): number {
  const open: (Json | undefined)[] = [root]
  let tokens = 0
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') tokens += estimateTextTokens(value)
    else if (Array.isArray(value)) for (const entry of value) open.push(entry)
    else if (isJsonObject(value)) {
      for (const [name, field] of Object.entries(value)) if (!LABELS.has(name)) open.push(field)
    }
  }
  return tokens
}

function messageTokens(message: JsonObject): number {
  const thoughts = THOUGHT_FIELDS.find(field => message[field] !== undefined && message[field] !== null)
  const fields = thoughts === undefined ? SPOKEN_FIELDS : [...SPOKEN_FIELDS, thoughts]
  return fields.reduce((sum, field) => sum + textTokens(message[field]), 0)
}

/** Tokens of the output in one chunk, or in one whole completion, not rounded: text, thoughts, tool calls. */
export function estimateOutputTokens({ choices }: JsonObject): number {
  if (!Array.isArray(choices)) return 0
  return choices.reduce<number>((sum, choice: Json) => {
    const message = isJsonObject(choice) ? (choice.delta ?? choice.message) : undefined
    return sum + (isJsonObject(message) ? messageTokens(message) : 0)
  }, 0)
}

const count = (value: Json | undefined): number | null =>
  typeof value === 'number' && value >= 1 ? value : null

/** The longest output that a request allows, in tokens over all of its choices; infinite where it names no limit. */
export function mostOutputTokens({ max_completion_tokens, max_tokens, n }: JsonObject): number {
  return (count(max_completion_tokens) ?? count(max_tokens) ?? Infinity) * (count(n) ?? 1)
}
