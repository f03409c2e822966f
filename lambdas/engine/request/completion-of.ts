import { flattenContent } from '../../core/answers/flatten-content.ts'
import { createFold } from '../../core/answers/fold-chunks.ts'
import { normaliseCompletion } from '../../core/answers/normalise-tool-calls.ts'
import { nameModel } from '../../core/answers/present-chunk.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CommittedAnswer } from './attempt.ts'

/** A whole answer as one completion: as the upstream sent it, or folded from its chunks. */
export function completionOf({ reader, parts, endpoint }: CommittedAnswer): JsonObject {
  const fold = createFold()
  if (!reader.completion) for (const { json } of parts) fold.add(json)
  const completion = reader.completion ?? fold.completion()
  return nameModel(flattenContent(normaliseCompletion(completion)), endpoint.model)
}
