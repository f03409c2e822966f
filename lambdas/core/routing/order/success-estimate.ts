import type { EndpointFigures, Outcomes } from '../endpoint-figures.ts'
import { sampleBeta, type Random } from './sample-beta.ts'

/** What is believed of an endpoint's successes: a Beta distribution. */
export type SuccessEstimate = { alpha: number; beta: number }

/**
 * How many calls each age may stand for. Seven days of counters would bury a break under ten thousand successes: an
 * endpoint that falls from 95 to 20 % would keep its place for hours. So the last calls, at most minutes old, weigh
 * most; the last hour remembers a break for as long as it takes to see whether it is over; and the days are what an
 * endpoint returns to when nobody has called it for an hour, so that it gets its share again without an amnesty.
 * Together they stand for at most a hundred calls: fewer than there may have been, which leaves some of the requests,
 * ever fewer the surer the difference, to whatever might have become better.
 */
const MOST_CALLS = { recent: 60, late: 30, days: 10 } as const

const capped = ({ successes, failures }: Outcomes, most: number): Outcomes => {
  const calls = successes + failures
  const part = calls > most ? most / calls : 1
  return { successes: successes * part, failures: failures * part }
}

/** What the counters let one believe; without any, every share of successes is as likely as another. */
export function estimateSuccess(figures: EndpointFigures | undefined): SuccessEstimate {
  if (!figures) return { alpha: 1, beta: 1 }
  const parts = [
    capped(figures.recent, MOST_CALLS.recent),
    capped(figures.late, MOST_CALLS.late),
    capped(figures, MOST_CALLS.days),
  ]
  return {
    alpha: 1 + parts.reduce((sum, { successes }) => sum + successes, 0),
    beta: 1 + parts.reduce((sum, { failures }) => sum + failures, 0),
  }
}

export const meanOf = ({ alpha, beta }: SuccessEstimate): number => alpha / (alpha + beta)

/** Thompson sampling: an endpoint comes first as often as it is likely to be the best. */
export const sampleOf = ({ alpha, beta }: SuccessEstimate, random: Random): number =>
  sampleBeta(alpha, beta, random)
