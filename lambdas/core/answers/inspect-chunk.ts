import { GAVE_UP_FINISHES } from '../failures/completion-fault.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { readUsage, type Usage } from './usage.ts'

/** What one upstream event says, whatever its provider calls it. */
export type ChunkView =
  /** An error in band, HTTP 200 or not. */
  | { kind: 'error' }
  | {
      kind: 'chunk'
      /** Text, reasoning, a tool call or a refusal. */
      output: boolean
      /** The last finish reason in it. */
      finish: string | null
      /** Indexes of the choices it speaks of, and of those it ends. */
      choices: readonly number[]
      finished: readonly number[]
      usage: Usage | null
    }

const isFailedFinish = (finish: Json | undefined): boolean =>
  typeof finish === 'string' && GAVE_UP_FINISHES.has(finish.toLowerCase())

const OUTPUT_FIELDS = [
  'content',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'refusal',
  'tool_calls',
  'function_call',
  'audio',
  'images',
] as const

function isFilled(value: Json | undefined): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return value.length > 0
  return isJsonObject(value) && Object.keys(value).length > 0
}

const holdsOutput = (message: Json | undefined): boolean =>
  isJsonObject(message) && OUTPUT_FIELDS.some(field => isFilled(message[field]))

/** Error objects and strings stand in some eight places; `error: null` beside an answer is none of them. */
function holdsError(chunk: JsonObject, choices: readonly Json[]): boolean {
  const groq = chunk.x_groq
  if (isFilled(chunk.error) || isFilled(chunk.errors) || chunk.type === 'error') return true
  if (isJsonObject(groq) && isFilled(groq.error)) return true
  const flat = typeof chunk.message === 'string' || isFilled(chunk.detail)
  if (chunk.choices === undefined && flat) return true
  return choices.some(
    choice => isJsonObject(choice) && (isFilled(choice.error) || isFailedFinish(choice.finish_reason)),
  )
}

/** Usage is on a chunk of its own, on the finish chunk, or under `x_groq`. */
function usageOf(chunk: JsonObject): Usage | null {
  const groq = isJsonObject(chunk.x_groq) ? chunk.x_groq.usage : undefined
  return readUsage(chunk.usage) ?? readUsage(groq)
}

/** Reads one `chat.completion.chunk` or whole `chat.completion`; total on any JSON object. */
export function inspectChunk(chunk: JsonObject): ChunkView {
  const choices: readonly Json[] = Array.isArray(chunk.choices) ? chunk.choices : []
  if (holdsError(chunk, choices)) return { kind: 'error' }
  const indexes: number[] = []
  const finished: number[] = []
  let output = false
  let finish: string | null = null
  for (const [place, choice] of choices.entries()) {
    if (!isJsonObject(choice)) continue
    const index = typeof choice.index === 'number' ? choice.index : place
    indexes.push(index)
    output ||= holdsOutput(choice.delta) || holdsOutput(choice.message) || isFilled(choice.text)
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
      finish = choice.finish_reason
      finished.push(index)
    }
  }
  return { kind: 'chunk', output, finish, choices: indexes, finished, usage: usageOf(chunk) }
}
