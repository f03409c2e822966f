import type { Skipped } from './plan.ts'

/** Whole seconds from now until an instant, at least 0; null where the instant is not known. */
export function secondsUntil(until: number | null, now: number): number | null {
  return until === null ? null : Math.max(0, Math.ceil((until - now) / 1_000))
}

/** A skipped endpoint in a few words for people: `groq/llama (cooldown: rate_limit, 30 s)`. */
export function describeSkip({ endpoint, reason, cause, param, until }: Skipped, now: number): string {
  const seconds = secondsUntil(until, now)
  const detail = cause ?? param
  const why = detail ? `${reason}: ${detail}` : reason
  return `${endpoint.name} (${why}${seconds === null ? '' : `, ${seconds} s`})`
}
