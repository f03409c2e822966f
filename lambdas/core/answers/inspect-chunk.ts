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
