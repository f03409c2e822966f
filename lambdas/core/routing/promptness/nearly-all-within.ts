import { promptSizeOf } from '../../health/answer-speed.ts'
import { firstOutputWithin, type EndpointFigures } from '../endpoint-figures.ts'

/** Fewer answers say nothing of the slowest one in a hundred. */
const LEAST_ANSWERS = 50
const SHARE = 0.99

/** Within how many milliseconds 99 % of an endpoint's answers to prompts of this size begin; null = too few are known. */
export function nearlyAllWithinMs(
  figures: Pick<EndpointFigures, 'firstOutput'> | undefined,
  promptTokens: number,
): number | null {
  const known = figures?.firstOutput[promptSizeOf(promptTokens)]
  return known && known.answers >= LEAST_ANSWERS ? firstOutputWithin(known, SHARE) : null
}
