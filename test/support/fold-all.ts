import { createFold } from '../../lambdas/core/answers/fold/fold-chunks.ts'
import { createChunkNormaliser } from '../../lambdas/core/answers/repair/normalise-chunk.ts'
import type { JsonObject } from '../../lambdas/core/json.ts'

/** Ids for calls that came without one. */
export const callId = (choice: number, position: number): string => `call_${choice}_${position}`

/** The completion that these chunks are the pieces of. */
export function foldAll(chunks: readonly JsonObject[]): JsonObject {
  const { normalise, missingCalls } = createChunkNormaliser(callId)
  const fold = createFold()
  for (const chunk of chunks) fold.add(normalise(chunk))
  const { choices } = fold.completion()
  for (const { index } of choices as readonly JsonObject[]) {
    const calls = typeof index === 'number' ? missingCalls(index) : []
    if (calls.length > 0) fold.add({ choices: [{ index, delta: { tool_calls: calls } }] })
  }
  return fold.completion()
}
