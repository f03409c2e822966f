import { GAVE_UP_FINISHES } from '../failures/completion-fault.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { isFinish } from './finish-reasons.ts'
import { holdsAnswer, holdsThought } from './repair/output-fields.ts'
import { readUsage, type Usage } from './usage.ts'

export type ChoiceView = {
  index: number
  /** Text, reasoning, a tool call or a refusal. */
  output: boolean
  /** Output that is more than reasoning. */
  answer: boolean
  finish: string | null
}

/** What one chunk says, whatever its provider calls it. */
export type ChunkView = { choices: readonly ChoiceView[]; usage: Usage | null }

const isFailedFinish = (finish: Json | undefined): boolean =>
  typeof finish === 'string' && GAVE_UP_FINISHES.has(finish.toLowerCase())

/** Codes by which hosts say that all is well, beside an answer. */
const isGoodCode = (code: number): boolean => code === 0 || code === 200

/** Whether an error says anything: some hosts put an empty one beside every answer. */
function saysError(value: Json | undefined): boolean {
  if (typeof value === 'number') return !isGoodCode(value)
  if (typeof value === 'string') return value !== ''
  if (Array.isArray(value)) return value.some(saysError)
  return isJsonObject(value) ? Object.values(value).some(saysError) : value === true
}

/** MiniMax reports how it went beside the choices, or in their place. */
const isBadResponse = ({ base_resp: response }: JsonObject): boolean =>
  isJsonObject(response) && typeof response.status_code === 'number' && !isGoodCode(response.status_code)

/** Whether an event is an error, HTTP 200 or not: error objects and words stand in some ten places. */
export function isErrorEvent(chunk: JsonObject): boolean {
  const { choices, x_groq: groq, code } = chunk
  if (chunk.type === 'error' || chunk.object === 'error' || isBadResponse(chunk)) return true
  if (saysError(chunk.error) || saysError(chunk.errors)) return true
  if (isJsonObject(groq) && saysError(groq.error)) return true
  if (!Array.isArray(choices) || choices.length === 0) {
    const isFlat =
      typeof chunk.message === 'string' || typeof chunk.msg === 'string' || saysError(chunk.detail)
    if (isFlat && (choices === undefined || (typeof code === 'number' && !isGoodCode(code)))) return true
    return false
  }
  return choices.some(
    choice => isJsonObject(choice) && (saysError(choice.error) || isFailedFinish(choice.finish_reason)),
  )
}

/** Usage is on a chunk of its own, on the finish chunk, or under `x_groq`. */
function usageOf(chunk: JsonObject): Usage | null {
  const groq = isJsonObject(chunk.x_groq) ? chunk.x_groq.usage : undefined
  return readUsage(chunk.usage) ?? readUsage(groq)
}

function viewChoice(choice: Json, place: number): ChoiceView[] {
  if (!isJsonObject(choice)) return []
  const { delta, message, finish_reason: finish } = choice
  const said = isJsonObject(delta) ? delta : isJsonObject(message) ? message : {}
  const answer = holdsAnswer(said)
  return [
    {
      index: typeof choice.index === 'number' ? choice.index : place,
      output: answer || holdsThought(said),
      answer,
      finish: isFinish(finish) ? finish : null,
    },
  ]
}

/** Reads one normalised chunk, or a whole completion; total on any JSON object. */
export function inspectChunk(chunk: JsonObject): ChunkView {
  const choices: readonly Json[] = Array.isArray(chunk.choices) ? chunk.choices : []
  return { choices: choices.flatMap(viewChoice), usage: usageOf(chunk) }
}
