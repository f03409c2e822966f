import { SAMPLED, type TraceContext } from './trace-context.ts'

/** Which traces are recorded: a share of them, and whether a caller's own decision comes first. */
export type Sampler = {
  /** From 0 to 1. */
  ratio: number
  parentBased: boolean
}

/** `OTEL_TRACES_SAMPLER`; those with a ratio read it from `OTEL_TRACES_SAMPLER_ARG`. */
export const SAMPLERS: Readonly<Record<string, { ratio: number | null; parentBased: boolean }>> = {
  always_on: { ratio: 1, parentBased: false },
  always_off: { ratio: 0, parentBased: false },
  traceidratio: { ratio: null, parentBased: false },
  parentbased_always_on: { ratio: 1, parentBased: true },
  parentbased_always_off: { ratio: 0, parentBased: true },
  parentbased_traceidratio: { ratio: null, parentBased: true },
}

export const DEFAULT_SAMPLER: Sampler = { ratio: 1, parentBased: true }

/** Of the 56 bits that are random, as many as a number holds. */
const RANDOM_DIGITS = 13

/** Whether a trace is recorded. By its id alone, so that every service of the same ratio decides alike. */
export function isSampled(
  { ratio, parentBased }: Sampler,
  traceId: string,
  parent: TraceContext | null,
): boolean {
  if (parentBased && parent) return (parent.flags & SAMPLED) !== 0
  const random = Number.parseInt(traceId.slice(-RANDOM_DIGITS - 1, -1), 16) / 16 ** RANDOM_DIGITS
  return random >= 1 - ratio
}
