import { KINDS, type FailureKind } from '../failures/kinds.ts'
import type { Settings } from '../settings/settings.ts'

/** What was last seen of an endpoint; the message is short. */
export type LastFailure = { kind: FailureKind; status: number | null; message: string; at: number }

/** Calls of one day: its number, and how many. */
export type DayCount = { day: number; count: number }

/** When an endpoint is probed next, and what was probed before. Epoch milliseconds. */
export type ProbePlan = {
  dueAt: number
  /** How often in a row probes have failed: the place in their schedule. */
  failures: number
  sent: DayCount
  /** Probes that a request waited for. */
  onDemand: DayCount & { at: number }
  /** Of both, where the owner's daily quota is known. */
  mostADay?: number
}

export type Health =
  | { state: 'healthy' }
  | { state: 'suspect'; since: number; probe: ProbePlan; cause: FailureKind }
  | {
      state: 'quarantined'
      since: number
      probe: ProbePlan
      cause: FailureKind
      /** The operator's reason, which may be empty; absent = its failures were the reason. */
      byHand?: string
    }

export type HealthEvent =
  /** Structural evidence; `weight` is what the window holds with it. */
  | {
      kind: 'evidence'
      via: 'request' | 'probe' | 'on-demand'
      weight: number
      gone: boolean
      cause: FailureKind
      at: number
      mostADay?: number
    }
  /** A probe that proved nothing about the model: a rate limit, or a key at fault. `waitMs` where one was stated. */
  | { kind: 'probe_undecided'; at: number; waitMs: number | null; mostADay?: number }
  /** A probe that failed in a way that proves nothing structural, a timeout say: it only waits longer. */
  | { kind: 'probe_failed'; at: number; mostADay?: number }
  /** `operator`: a probe of this endpoint alone, which somebody asked for. */
  | { kind: 'success'; via: 'request' | 'probe' | 'operator' }
  /** Only where probing is switched off. */
  | { kind: 'window_emptied' }
  | { kind: 'quarantine'; cause: FailureKind; byHand: string; at: number }
  | { kind: 'release' }

type HealthSettings = Pick<
  Settings,
  | 'endpoint_suspect_threshold'
  | 'endpoint_quarantine_threshold'
  | 'endpoint_probe_interval_ms'
  | 'endpoint_probe_daily_max'
>

const MINUTE = 60_000
const DAY_MS = 24 * 60 * MINUTE
/** For so long the interval stays as it is. */
const STEADY_MS = 20 * MINUTE
const LONGEST_PROBE_MS = 60 * MINUTE
const GONE_PROBE_MS = 15 * MINUTE
const HEALTHY: Health = { state: 'healthy' }

/** Up to a fifth more or less, so that endpoints that fell together are not probed together. */
const jittered = (ms: number, random: number): number => Math.round(ms * (0.8 + 0.4 * random))

const steadyProbes = (intervalMs: number): number => Math.ceil(STEADY_MS / intervalMs)

/** The wait after so many failed probes: steady at first, then doubling. */
const probeWait = (failures: number, intervalMs: number): number =>
  Math.min(
    intervalMs * 2 ** Math.max(0, failures - steadyProbes(intervalMs)),
    Math.max(LONGEST_PROBE_MS, intervalMs),
  )

const NONE_SENT: Pick<ProbePlan, 'sent' | 'onDemand'> = {
  sent: { day: 0, count: 0 },
  onDemand: { day: 0, count: 0, at: 0 },
}

/** One more of this day. */
export function countOf({ day, count }: DayCount, at: number): DayCount {
  const today = Math.floor(at / DAY_MS)
  return { day: today, count: day === today ? count + 1 : 1 }
}

/** How many there were on this day. */
export const countToday = ({ day, count }: DayCount, at: number): number =>
  day === Math.floor(at / DAY_MS) ? count : 0

/** A model that is gone for good begins where others come to after a while. */
function firstProbe(
  cause: FailureKind,
  gone: boolean,
  at: number,
  intervalMs: number,
  random: number,
): ProbePlan {
  if (!gone) return { dueAt: at + jittered(KINDS[cause].firstProbeMs, random), failures: 0, ...NONE_SENT }
  const failures = steadyProbes(intervalMs) + Math.ceil(Math.log2(Math.max(1, GONE_PROBE_MS / intervalMs)))
  return { dueAt: at + jittered(GONE_PROBE_MS, random), failures, ...NONE_SENT }
}

function backOff(probe: ProbePlan, at: number, settings: HealthSettings, random: number): ProbePlan {
  const failures = probe.failures + 1
  const wait = probeWait(failures, settings.endpoint_probe_interval_ms)
  return { ...probe, failures, dueAt: within(probe, at + jittered(wait, random), at, settings) }
}

/** Whether a day's share of the owner's quota is spent, with the probes that requests have waited for. */
const isShareSpent = ({ sent, onDemand, mostADay }: ProbePlan, at: number): boolean =>
  mostADay !== undefined && countToday(sent, at) + countToday(onDemand, at) >= mostADay

/** Where a day's probes are spent, the next one waits for the next day. */
function within(probe: ProbePlan, dueAt: number, at: number, settings: HealthSettings): number {
  const isSpent = countToday(probe.sent, at) >= settings.endpoint_probe_daily_max || isShareSpent(probe, at)
  return isSpent ? Math.max(dueAt, (Math.floor(at / DAY_MS) + 1) * DAY_MS) : dueAt
}

function onEvidence(
  health: Health,
  event: Extract<HealthEvent, { kind: 'evidence' }>,
  settings: HealthSettings,
  random: number,
): Health {
  const { cause, at, via, weight, gone } = event
  const before = health.state === 'healthy' ? null : health.probe
  const began = before ?? firstProbe(cause, gone, at, settings.endpoint_probe_interval_ms, random)
  const probe = via === 'probe' && before ? backOff(before, at, settings, random) : began
  if (health.state === 'quarantined') return via === 'probe' ? { ...health, probe, cause } : health
  if (weight >= settings.endpoint_quarantine_threshold)
    return { state: 'quarantined', since: at, probe, cause }
  if (health.state === 'suspect') return { ...health, probe, cause }
  return weight >= settings.endpoint_suspect_threshold
    ? { state: 'suspect', since: at, probe, cause }
    : health
}

/** The reason of a quarantine by hand, which may be empty; undefined = it is none. */
export const byHandOf = (health: Health): string | undefined =>
  health.state === 'quarantined' ? health.byHand : undefined

const maySucceed = (health: Health, via: 'request' | 'probe' | 'operator'): boolean =>
  via === 'operator' || (via === 'probe' && byHandOf(health) === undefined)

/**
 * The health of one endpoint after one event. Pure; `random` in [0, 1) spreads the probes.
 *
 * | event                       | healthy     | suspect     | quarantined |
 * |-----------------------------|-------------|-------------|-------------|
 * | evidence below suspect      | healthy     | suspect     | quarantined |
 * | evidence from suspect on    | suspect     | suspect     | quarantined |
 * | evidence from quarantine on | quarantined | quarantined | quarantined |
 * | a request succeeded         | healthy     | healthy     | quarantined |
 * | a probe succeeded           | healthy     | healthy     | healthy     |
 * | a probe proved nothing      | healthy     | suspect     | quarantined |
 * | a probe failed otherwise    | healthy     | suspect     | quarantined |
 * | the window has emptied      | healthy     | healthy     | quarantined |
 * | operator: quarantine        | quarantined | quarantined | quarantined |
 * | operator: release           | healthy     | healthy     | healthy     |
 *
 * No timer and no user request ever leads out of quarantine, and of one by hand only an operator: whoever ordered it may
 * know of wrong answers, which no probe notices.
 */
export function healthAfter(
  given: Health,
  event: HealthEvent,
  settings: HealthSettings,
  random: number,
): Health {
  const health = withQuota(given, event)
  switch (event.kind) {
    case 'evidence':
      return onEvidence(health, event, settings, random)
    case 'success':
      return health.state === 'quarantined' && !maySucceed(health, event.via) ? health : HEALTHY
    case 'window_emptied':
      return health.state === 'quarantined' ? health : HEALTHY
    case 'probe_undecided': {
      if (health.state === 'healthy') return health
      const wait = event.waitMs ?? jittered(settings.endpoint_probe_interval_ms, random)
      const dueAt = within(health.probe, event.at + wait, event.at, settings)
      return { ...health, probe: { ...health.probe, dueAt } }
    }
    case 'probe_failed': {
      if (health.state === 'healthy') return health
      return { ...health, probe: backOff(health.probe, event.at, settings, random) }
    }
    case 'quarantine': {
      const { cause, byHand, at } = event
      if (health.state === 'quarantined') return { ...health, byHand }
      const probe = firstProbe(cause, false, at, settings.endpoint_probe_interval_ms, random)
      return { state: 'quarantined', since: at, probe, cause, byHand }
    }
    case 'release':
      return HEALTHY
  }
}

/** The part of a known daily quota that probes may use of what its owner has paid for. */
const PROBES_SHARE = 5

/**
 * How often a day an endpoint may be probed whose provider allows its owner so many requests: a fifth of them, shared by
 * all endpoints there that are ill; once at least, because nothing else readmits it.
 */
export const probesOfQuota = (requestsADay: number, ill: number): number =>
  Math.max(1, Math.floor(requestsADay / PROBES_SHARE / Math.max(1, ill)))

function withQuota(health: Health, event: HealthEvent): Health {
  const mostADay = 'mostADay' in event ? event.mostADay : undefined
  if (health.state === 'healthy' || mostADay === undefined) return health
  return { ...health, probe: { ...health.probe, mostADay } }
}

/** How often a request may have a quarantined endpoint probed; a cap of its own, apart from the schedule's. */
const ON_DEMAND_MS = 5_000
const OLD_ON_DEMAND_MS = 30_000
const OLD_TROUBLE_MS = 15 * MINUTE

/** When a request may have an endpoint probed that is quarantined; null = not today any more, or never by an order. */
export function onDemandAt(
  health: Exclude<Health, { state: 'healthy' }>,
  dailyMax: number,
  now: number,
): number | null {
  const { since, probe } = health
  if (byHandOf(health) !== undefined) return null
  if (countToday(probe.onDemand, now) >= dailyMax || isShareSpent(probe, now)) return null
  const everyMs = now - since > OLD_TROUBLE_MS ? OLD_ON_DEMAND_MS : ON_DEMAND_MS
  return Math.min(probe.onDemand.at, now) + everyMs
}
