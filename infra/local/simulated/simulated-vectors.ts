import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '../../../lambdas/core/json.ts'
import { withFormat } from '../../../lambdas/core/answers/vector-format.ts'

const USUAL_DIMENSIONS = 64
const CHARACTERS_PER_TOKEN = 4

/** The same numbers for the same input, whoever is asked, of length 1. */
function vectorOf(input: Json, dimensions: number): readonly number[] {
  const seed = JSON.stringify(input)
  const numbers = Array.from({ length: dimensions }, (_, place) =>
    createHash('sha256').update(`${place} ${seed}`).digest().readInt32LE(0),
  )
  const length = Math.hypot(...numbers)
  return numbers.map(number => Math.fround(number / length))
}

const isList = (input: Json | undefined): input is readonly Json[] =>
  Array.isArray(input) && typeof input[0] !== 'number'

/** What OpenAI's API of embeddings answers: every simulated provider serves the same vectors. */
export function simulateVectors(
  model: string,
  { input, dimensions, encoding_format }: JsonObject,
): JsonObject {
  const inputs = isList(input) ? input : [input ?? '']
  const size = typeof dimensions === 'number' ? dimensions : USUAL_DIMENSIONS
  const tokens = Math.ceil(JSON.stringify(inputs).length / CHARACTERS_PER_TOKEN)
  const format = encoding_format === 'base64' ? 'base64' : 'float'
  return {
    object: 'list',
    model,
    data: inputs.map((one, index) => ({
      object: 'embedding',
      index,
      embedding: withFormat(vectorOf(one, size), format),
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}
