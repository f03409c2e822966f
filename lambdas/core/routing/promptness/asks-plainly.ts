import type { EndpointFigures } from '../endpoint-figures.ts'
import { nearlyAllWithinMs } from './nearly-all-within.ts'

/** Of answers whose lengths vary as waiting times do, one in a hundred is longer than this many usual ones. */
const LONGEST_TIMES = 5
/** How much slower than nearly all of its answers one may be. */
const TIMES = 2

type Asked = {
  figures: EndpointFigures | undefined
  promptTokens: number
  /** The longest output that the request allows, in tokens; infinite where it names no limit. */
  mostTokens: number
  /** How long the first output of a stream would be waited for. */
  usualMs: number
}

/**
 * Whether an answer that the client wants whole is asked for as one, and not as a stream that is added up, which costs
 * more CPU. Nothing is lost by it: by the endpoint's own counters, all of the answer comes in half of the time that a
 * stream would have for its first output, so that silence is noticed as soon.
 */
export function asksPlainly({ figures, promptTokens, mostTokens, usualMs }: Asked): boolean {
  const beginsMs = nearlyAllWithinMs(figures, promptTokens)
  const { outputTokens = null, tokensPerSecond = null, pace = 1 } = figures ?? {}
  if (beginsMs === null || outputTokens === null || tokensPerSecond === null) return false
  const longest = Math.min(mostTokens, LONGEST_TIMES * outputTokens)
  const wholeMs = beginsMs * Math.max(1, pace) + (1_000 * longest) / tokensPerSecond
  return TIMES * wholeMs <= usualMs
}
