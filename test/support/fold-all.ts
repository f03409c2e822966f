import { createFold } from '../../lambdas/core/answers/fold-chunks.ts'
import type { JsonObject } from '../../lambdas/core/json.ts'

/** The completion that these chunks are the pieces of. */
export function foldAll(chunks: readonly JsonObject[]): JsonObject {
  const fold = createFold()
  for (const chunk of chunks) fold.add(chunk)
  return fold.completion()
}
