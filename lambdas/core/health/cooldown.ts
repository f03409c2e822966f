import type { FailureKind } from '../failures/failure.ts'

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

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Waits where none was stated, climbed when it happens again within a day. */
export const LADDER_MS = [MINUTE, 2 * MINUTE, 10 * MINUTE, 60 * MINUTE, DAY] as const
/** A benched endpoint stops climbing here: it is ill, not forbidden. */
export const BENCH_LADDER_MS = LADDER_MS.slice(0, 3)

/** Waits that a kind always brings where none was stated. */
const FIXED_MS: Partial<Record<FailureKind, number>> = { auth: 5 * MINUTE, permission: DAY }

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
  ladder: readonly number[] = LADDER_MS,
): Cooldown {
  const { statedMs, at, kind, request } = event
  const fixed = statedMs ?? FIXED_MS[kind] ?? null
  // Requests that were under way together fail together: only what happens after the bench climbs.
  if (cooldown && fixed === null && cooldown.until > at) return cooldown
  const step = fixed === null ? rungAfter(cooldown, event, ladder.length) : (cooldown?.step ?? null)
  const wait = fixed ?? ladder[step ?? 0] ?? 0
  const until = Math.max(cooldown?.until ?? 0, at + wait)
  const stands = cooldown !== null && until === cooldown.until
  const stated = stands ? cooldown.stated : statedMs !== null
  return { until, step, kind: stands ? cooldown.kind : kind, at, stated, request }
}
