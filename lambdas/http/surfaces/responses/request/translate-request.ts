import { isJsonObject, type JsonObject } from '../../../../core/json.ts'
import { createFindings, type Findings } from '../../translation/findings.ts'
import { createToolTable } from './tool-table.ts'
import { translateChoice } from './translate-choice.ts'
import { translateFormat } from './translate-format.ts'
import { translateItems } from './translate-items.ts'

/** A Responses body as chat completions JSON, and what the translation could not carry over. */
export type TranslatedRequest = {
  body: JsonObject
  /** Names of what is left out, for `x-backstop-dropped`. */
  dropped: readonly string[]
  /** The field that only an endpoint of this API can serve; null = any endpoint can. */
  native: string | null
  /** The field whose state one endpoint holds. */
  state: string | null
}

/** Fields that mean the same in both APIs. */
const SAME = [
  'model',
  'stream',
  'temperature',
  'top_p',
  'metadata',
  'store',
  'user',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
] as const

/** Fields that are translated elsewhere, or whose absence changes no answer. */
const HANDLED = new Set<string>([
  ...SAME,
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'max_output_tokens',
  'top_logprobs',
  'stream_options',
  'client_metadata',
  'truncation',
])

const STATEFUL = ['previous_response_id', 'conversation', 'prompt'] as const
const SEALED_REASONING = 'reasoning.encrypted_content'
const LOGPROBS = 'message.output_text.logprobs'

/** Stands for what only the endpoint that holds the state can read. */
const NOTHING = { role: 'user', content: '' }

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

function findUntranslatable(body: JsonObject, findings: Findings): void {
  for (const name of STATEFUL) if (isGiven(body[name])) findings.needState(name)
  if (body.background === true) findings.needState('background')
  if (isGiven(body.context_management)) findings.needNative('context_management')
  const known = new Set<string>([...HANDLED, ...STATEFUL, 'background', 'context_management', 'include'])
  for (const [name, value] of Object.entries(body))
    if (isGiven(value) && !known.has(name)) findings.drop(name)
}

function includedOf({ include, top_logprobs: top }: JsonObject, findings: Findings): JsonObject {
  const wanted = Array.isArray(include) ? include : []
  // Thoughts that nobody sealed cannot be asked for.
  for (const name of wanted)
    if (name !== LOGPROBS && name !== SEALED_REASONING) findings.drop(`include.${String(name)}`)
  const ranked = typeof top === 'number' && top > 0
  if (!ranked && !wanted.includes(LOGPROBS)) return {}
  return { logprobs: true, ...(ranked ? { top_logprobs: top } : {}) }
}

const isInstruction = ({ role, content }: JsonObject): boolean =>
  (role === 'developer' || role === 'system') && typeof content === 'string'

/** Templates of open models take one leading instruction. */
function joinLeading(messages: readonly JsonObject[]): readonly JsonObject[] {
  const end = messages.findIndex(message => !isInstruction(message))
  const leading = end < 0 ? messages : messages.slice(0, end)
  if (leading.length < 2) return messages
  const content = leading.map(message => String(message.content)).join('\n\n')
  return [{ role: 'developer', content }, ...messages.slice(leading.length)]
}

/** Translates a Responses request to the chat API. Pure: the argument is never changed. */
export function translateRequest(native: JsonObject): TranslatedRequest {
  const findings = createFindings()
  const table = createToolTable(native)
  const { instructions, reasoning, max_output_tokens: most } = native
  const instructed = typeof instructions === 'string' ? [{ role: 'developer', content: instructions }] : []
  const items = translateItems(native.input, table, findings)
  const effort =
    isJsonObject(reasoning) && isGiven(reasoning.effort) ? { reasoning_effort: reasoning.effort } : {}
  findUntranslatable(native, findings)
  const body: JsonObject = {
    ...Object.fromEntries(SAME.flatMap(name => (isGiven(native[name]) ? [[name, native[name]]] : []))),
    messages: items.length > 0 ? joinLeading([...instructed, ...items]) : [...instructed, NOTHING],
    ...translateChoice(native, table, findings),
    ...translateFormat(native),
    ...effort,
    ...(isGiven(most) ? { max_completion_tokens: most } : {}),
    ...includedOf(native, findings),
  }
  return { body, dropped: findings.dropped(), native: findings.native(), state: findings.state() }
}
