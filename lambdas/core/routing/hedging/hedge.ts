import type { Candidate, Chain } from '../../endpoint.ts'
import { binEnds, binOf, promptSizeOf } from '../../health/answer-speed.ts'
import { firstOutputOf, firstOutputWithin, type FirstOutput } from '../endpoint-figures.ts'
import type { Snapshot } from '../snapshot.ts'

/** When a request is hedged; null = at the time that its tier usually takes, once that is known. */
export type Hedge = { afterMs: number | null }

/** One request in twenty is slower, by what the tier's own answers tell. */
const SHARE = 0.95
const LEAST_ANSWERS = 50

/** The first outputs of all replicas together: one that is often slow must not make its slowness the usual time. */
function ofTier(chain: Chain, tier: number, { figures }: Snapshot, promptTokens: number): FirstOutput {
  const bins = new Map<number, number>()
  for (const { id } of chain.tiers[tier] ?? []) {
    const known = figures.get(id)?.firstOutput[promptSizeOf(promptTokens)]
    for (const [bin, count] of known?.bins ?? []) bins.set(bin, (bins.get(bin) ?? 0) + count)
  }
  return firstOutputOf(bins)
}

/**
 * After how long without output the next replica is called beside an endpoint, in milliseconds; null = never. The time
 * within which 95 % of the tier's answers begin, to the end of its bin, so that no more than the rest is ever hedged.
 */
export function hedgeDelayMs(
  chain: Chain,
  tier: number,
  snapshot: Snapshot,
  promptTokens: number,
): number | null {
  if (!chain.hedge) return null
  const { afterMs } = chain.hedge
  const known = ofTier(chain, tier, snapshot, promptTokens)
  const usual = known.answers < LEAST_ANSWERS ? null : firstOutputWithin(known, SHARE)
  const usualMs = usual === null ? null : Math.ceil(binEnds(binOf(usual)).to)
  return afterMs === null ? usualMs : Math.max(afterMs, usualMs ?? 0)
}

/** The replica that may be called beside a candidate: nothing that is suspect, a last resort, or behind a trial. */
export function hedgeOf(
  candidates: readonly Candidate[],
  current: Candidate,
  left: readonly number[],
): number | null {
  const isWell = ({ suspect, lastResort, trial }: Candidate): boolean =>
    !suspect && !lastResort && trial.length === 0
  // An endpoint that answers whole shows nothing before its end, however well it is.
  if (!isWell(current) || current.endpoint.stream === false) return null
  return (
    left.find(index => {
      const other = candidates[index]
      return other !== undefined && other.tier === current.tier && isWell(other)
    }) ?? null
  )
}
