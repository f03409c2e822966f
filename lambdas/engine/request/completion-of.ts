import { nameModel } from '../../core/answers/present-chunk.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CommittedAnswer } from './attempt.ts'

/** A held answer as one completion: as the upstream sent it, but for what breaks clients, or added up. */
export const completionOf = ({ completion, endpoint }: CommittedAnswer): JsonObject =>
  nameModel(completion ?? {}, endpoint.model)
