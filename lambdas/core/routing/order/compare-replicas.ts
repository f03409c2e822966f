import { dollarsFor } from '../../cost.ts'
import type { Endpoint, Tier } from '../../endpoint.ts'
import { PROMPT_SIZES, promptSizeOf, type PromptSize } from '../../health/answer-speed.ts'
import { headroomOf } from '../../quota/quota-mark.ts'
import type { Factors, Measures } from '../../order/rank.ts'
import { medianFirstOutputMs, type EndpointFigures } from '../endpoint-figures.ts'
import type { Snapshot } from '../snapshot.ts'

/** Differences that nobody notices. */
const UNNOTICED_MS = 100
const UNNOTICED_DOLLARS = 0.0001
/** A usual answer. */
const OUTPUT_TOKENS = 500
/** No factor alone makes an endpoint worthless. */
const LEAST = 0.01

/** Of prompts of this size, else of the size that is nearest to it and known. */
function usualOf({ firstOutput }: EndpointFigures, promptTokens: number): number | null {
  const wanted = PROMPT_SIZES.indexOf(promptSizeOf(promptTokens))
  const distance = (size: PromptSize): number => Math.abs(PROMPT_SIZES.indexOf(size) - wanted)
  const nearestFirst = PROMPT_SIZES.toSorted((one, other) => distance(one) - distance(other))
  const [usualMs = null] = nearestFirst.flatMap(size => medianFirstOutputMs(firstOutput[size]) ?? [])
  return usualMs
}

function measure({ price }: Endpoint, figures: EndpointFigures | undefined, promptTokens: number): Measures {
  const usualMs = figures ? usualOf(figures, promptTokens) : null
  return {
    // What is usual was counted for half a day: what has changed within the hour shows in the pace.
    firstOutputMs: usualMs && figures ? usualMs * figures.pace : null,
    tokensPerSecond: figures?.tokensPerSecond ?? null,
    dollars: price && dollarsFor({ promptTokens, completionTokens: OUTPUT_TOKENS }, price),
  }
}

/** The least of these, over each; what is not known gets `unknown` of the others. */
function ratios(
  values: readonly (number | null)[],
  unnoticed: number,
  unknown: (known: readonly number[]) => number,
): readonly number[] {
  const least = Math.min(...values.filter(value => value !== null))
  const told = values.map(value =>
    value === null ? null : Math.max(LEAST, (least + unnoticed) / (value + unnoticed)),
  )
  const known = told.filter(ratio => ratio !== null)
  return told.map(ratio => ratio ?? unknown(known))
}

/** What nobody has measured may be the best: that is how it comes to be measured. */
const asTheBest = (): number => 1
/** A price that is not known will not be known by calling: it counts as neither cheap nor dear. */
const inTheMiddle = (known: readonly number[]): number =>
  known.length === 0 ? 1 : Math.exp(known.reduce((sum, ratio) => sum + Math.log(ratio), 0) / known.length)

/** How the replicas of a tier compare for a request of so many tokens, in their order. */
export function compareReplicas(
  replicas: Tier,
  promptTokens: number,
  snapshot: Pick<Snapshot, 'figures' | 'keys' | 'quotas'>,
): readonly (Measures & { factors: Factors })[] {
  const measured = replicas.map(replica => measure(replica, snapshot.figures.get(replica.id), promptTokens))
  const firstOutput = ratios(
    measured.map(({ firstOutputMs }) => firstOutputMs),
    UNNOTICED_MS,
    asTheBest,
  )
  const output = ratios(
    measured.map(({ tokensPerSecond }) => tokensPerSecond && 1 / tokensPerSecond),
    0,
    asTheBest,
  )
  const price = ratios(
    measured.map(({ dollars }) => dollars),
    UNNOTICED_DOLLARS,
    inTheMiddle,
  )
  return measured.map((measures, index) => {
    const replica = replicas[index]
    return {
      ...measures,
      factors: {
        firstOutput: firstOutput[index] ?? 1,
        output: output[index] ?? 1,
        price: price[index] ?? 1,
        headroom: replica ? Math.max(LEAST, headroomOf(replica, snapshot)) : 1,
      },
    }
  })
}
