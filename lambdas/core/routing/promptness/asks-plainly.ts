import { promptSizeOf } from '../../health/answer-speed.ts'
import { hidesSilence } from '../budget.ts'
import { firstOutputWithin, type EndpointFigures } from '../endpoint-figures.ts'

/** Fewer answers say nothing of the slowest one in a hundred. */
const LEAST_ANSWERS = 50
const SHARE = 0.99
/** Far below any limit for a first output. */
const PROMPT_MS = 2_000

type Asked = {
  figures: EndpointFigures | undefined
  promptTokens: number
  /** The longest output that the request allows, in tokens; infinite where it names no limit. */
  mostTokens: number
  /** How often in a row this instance has not waited for its first output, of late. */
  cuts: number
  /** Another endpoint is called beside one that is late, which a call that shows nothing before its end always seems. */
  mayHedge: boolean
}

/**
 * Whether an answer that the client wants whole is asked for as one, and not streamed and added up, which costs more
 * CPU. Nothing may be lost by it: the endpoint has been prompt of late, by its own counters, and the answer is so short
 * that silence is noticed as soon as in a stream.
 */
export function asksPlainly({ figures, promptTokens, mostTokens, cuts, mayHedge }: Asked): boolean {
  if (mayHedge || cuts > 0 || hidesSilence(mostTokens)) return false
  const known = figures?.firstOutput[promptSizeOf(promptTokens)]
  if (!known || known.answers < LEAST_ANSWERS) return false
  const nearlyAll = firstOutputWithin(known, SHARE)
  return nearlyAll !== null && nearlyAll <= PROMPT_MS
}
