import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { createFindings, type Findings } from '../translation/findings.ts'
import { createToolNames } from './tool-names.ts'
import { textsOf } from './translate-blocks.ts'
import { translateEffort, translateFormat } from './translate-effort.ts'
import { translateTools } from './translate-tools.ts'
import { translateTurns } from './translate-turns.ts'

/** A Messages body as chat completions JSON, and what the translation could not carry over. */
export type TranslatedMessages = {
  body: JsonObject
  /** Names of what is left out, for `x-backstop-dropped`. */
  dropped: readonly string[]
  /** The field that only an endpoint of this API can serve; null = any endpoint can. */
  native: string | null
}

/** Fields that mean the same in both APIs. */
const SAME = ['model', 'max_tokens', 'stream', 'temperature', 'top_p'] as const

/** Fields that are translated elsewhere, or whose absence changes no answer. */
const HANDLED = new Set<string>([
  ...SAME,
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'stop_sequences',
  'metadata',
])

/** What its provider runs or keeps. */
const NATIVE = ['mcp_servers', 'container', 'thread'] as const

/** Changes with every request, so that no prompt that begins with it is ever found in a cache. */
const BILLING = /^x-anthropic-billing-header:/

/** Stands for what only an endpoint of this API can read. */
const NOTHING: JsonObject = { role: 'user', content: '' }

const isGiven = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

/** Whether anything in the body marks a prompt for its provider's cache; walks without recursion. */
function marksCache(body: JsonObject): boolean {
  const open: (Json | undefined)[] = [body.system, body.messages, body.tools]
  while (open.length > 0) {
    const value = open.pop()
    if (Array.isArray(value)) for (const entry of value) open.push(entry)
    else if (isJsonObject(value)) {
      if (isGiven(value.cache_control)) return true
      open.push(value.content)
    }
  }
  return false
}

function findUntranslatable(body: JsonObject, findings: Findings): void {
  for (const name of NATIVE) if (isGiven(body[name])) findings.needNative(name)
  const known = new Set<string>([...HANDLED, ...NATIVE])
  for (const [name, value] of Object.entries(body))
    if (isGiven(value) && !known.has(name)) findings.drop(name)
  if (marksCache(body)) findings.drop('cache_control')
}

function translateSystem(system: Json | undefined): readonly JsonObject[] {
  const content = textsOf(system)
    .filter(text => !BILLING.test(text))
    .join('\n\n')
  return content === '' ? [] : [{ role: 'system', content }]
}

/** Translates a Messages request to the chat API. Pure: the argument is never changed. */
export function translateMessages(native: JsonObject): TranslatedMessages {
  const findings = createFindings()
  const names = createToolNames(native.tools)
  const turns = translateTurns(native.messages, names, findings)
  const { stop_sequences: stops } = native
  findUntranslatable(native, findings)
  const isUnreadable = turns.length === 0 && findings.native() !== null
  const body: JsonObject = {
    ...Object.fromEntries(SAME.flatMap(name => (isGiven(native[name]) ? [[name, native[name]]] : []))),
    messages: [...translateSystem(native.system), ...(isUnreadable ? [NOTHING] : turns)],
    ...translateTools(native, names, findings),
    ...translateFormat(native),
    ...translateEffort(native),
    ...(isGiven(stops) ? { stop: stops } : {}),
  }
  return { body, dropped: findings.dropped(), native: findings.native() }
}
