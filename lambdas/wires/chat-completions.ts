import { inspectChunk } from '../core/answers/inspect-chunk.ts'
import { unfoldCompletion } from '../core/answers/unfold-completion.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import { fitRequest } from '../providers/fit-request.ts'
import type { Wire } from './wire.ts'

const DONE = '[DONE]'

/** Some hosts send a single chunk where a whole answer was asked for. */
function unfold(json: JsonObject): readonly JsonObject[] | null {
  const choice = Array.isArray(json.choices) ? json.choices[0] : undefined
  if (!isJsonObject(choice)) return null
  if (isJsonObject(choice.message)) return unfoldCompletion(json, { includeUsage: true })
  return choice.delta ? [json] : null
}

/** OpenAI's chat API, as every provider in the catalogue speaks it. */
export const chatCompletions: Wire = {
  path: '/chat/completions',
  headers: {},
  fit: fitRequest,
  inspect: inspectChunk,
  isError: ({ event }) => event === 'error',
  isDone: ({ data }) => data.trim() === DONE,
  unfold,
}
