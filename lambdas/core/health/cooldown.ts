import { KINDS, LADDER_MS, type FailureKind } from '../failures/kinds.ts'

/** A timed bench of one scope. Instants in epoch milliseconds. */
export type Cooldown = {
  until: number
  /** Rung of the ladder; null while only stated waits were obeyed. */
  step: number | null
  kind: FailureKind
  /** When the last failure came. */
  at: number
  /** The upstream asked for it: no success of somebody else ends it early. */
  stated: boolean
  /** The request that last climbed: one request climbs at most one rung. */
  request: string
}

export type CooldownEvent = {
  kind: FailureKind
  /** What the upstream asked for, in milliseconds; null = it did not say. */
  statedMs: number | null
  at: number
  request: string
}

const DAY = 86_400_000

/** A benched endpoint stops climbing here: it is ill, not forbidden. */
export const BENCH_LADDER_MS = LADDER_MS.slice(0, 3)

function rungAfter(cooldown: Cooldown | null, event: CooldownEvent, rungs: number): number {
  if (!cooldown || cooldown.step === null || event.at - Math.max(cooldown.at, cooldown.until) >= DAY) return 0
  return cooldown.request === event.request ? cooldown.step : Math.min(cooldown.step + 1, rungs - 1)
}

/**
 * The cooldown of a scope after one more failure. A stated wait is honoured exactly; whatever is longer stands, so
 * that a later, shorter statement never shortens it. Pure.
 */
export function cooldownAfter(
  cooldown: Cooldown | null,
  event: CooldownEvent,
  ladder: readonly number[] = KINDS[event.kind].waitsMs ?? LADDER_MS,
): Cooldown {
  const { statedMs, at, kind, request } = event
  const fixed = statedMs ?? (ladder.length === 1 ? (ladder[0] ?? null) : null)
  // Requests that were under way together fail together: only what happens after the bench climbs.
  if (cooldown && fixed === null && cooldown.until > at) return cooldown
  const step = fixed === null ? rungAfter(cooldown, event, ladder.length) : (cooldown?.step ?? null)
  const wait = fixed ?? ladder[step ?? 0] ?? 0
  const until = Math.max(cooldown?.until ?? 0, at + wait)
  const stands = cooldown !== null && until === cooldown.until
  const stated = stands ? cooldown.stated : statedMs !== null
  return { until, step, kind: stands ? cooldown.kind : kind, at, stated, request }
}
