import { KINDS, type FailureKind } from '../failures/kinds.ts'
import type { Settings } from '../settings/settings.ts'

/** What was last seen of an endpoint that is not healthy; the message is at most 300 bytes. */
export type LastFailure = { kind: FailureKind; status: number | null; message: string; at: number }

/** When an endpoint is probed next, and how often in a row probes have failed. Epoch milliseconds. */
export type ProbePlan = { dueAt: number; failures: number }

export type Health =
  | { state: 'healthy' }
  | { state: 'suspect'; since: number; probe: ProbePlan; failure: LastFailure }
  | { state: 'quarantined'; since: number; probe: ProbePlan; failure: LastFailure }

export type HealthEvent =
  /** Structural evidence; `weight` is what the window holds with it. */
  | { kind: 'evidence'; via: 'request' | 'probe'; weight: number; failure: LastFailure }
  /** A probe that proved nothing about the model: a rate limit, or a key at fault. `waitMs` where one was stated. */
  | { kind: 'probe_undecided'; at: number; waitMs: number | null }
  /** A probe that failed in a way that proves nothing structural, a timeout say: it only waits longer. */
  | { kind: 'probe_failed'; at: number }
  | { kind: 'success'; via: 'request' | 'probe' }
  /** Only where probing is switched off. */
  | { kind: 'window_emptied' }
  | { kind: 'quarantine'; failure: LastFailure }
  | { kind: 'release' }

type HealthSettings = Pick<
  Settings,
  'endpoint_suspect_threshold' | 'endpoint_quarantine_threshold' | 'endpoint_probe_interval_ms'
>

const LONGEST_PROBE_MS = 15 * 60_000
const HEALTHY: Health = { state: 'healthy' }

/** Up to a fifth more or less, so that endpoints that fell together are not probed together. */
const jittered = (ms: number, random: number): number => Math.round(ms * (0.8 + 0.4 * random))

function firstProbe({ kind, at }: LastFailure, random: number): ProbePlan {
  return { dueAt: at + jittered(KINDS[kind].firstProbeMs, random), failures: 0 }
}

function backOff(probe: ProbePlan, at: number, intervalMs: number, random: number): ProbePlan {
  const wait = Math.min(intervalMs * 2 ** probe.failures, LONGEST_PROBE_MS)
  return { dueAt: at + jittered(wait, random), failures: probe.failures + 1 }
}

function onEvidence(
  health: Health,
  event: Extract<HealthEvent, { kind: 'evidence' }>,
  settings: HealthSettings,
  random: number,
): Health {
  const { failure, via, weight } = event
  const before = health.state === 'healthy' ? null : health.probe
  const began = before ?? firstProbe(failure, random)
  const probe =
    via === 'probe' && before
      ? backOff(before, failure.at, settings.endpoint_probe_interval_ms, random)
      : began
  if (health.state === 'quarantined') return via === 'probe' ? { ...health, probe, failure } : health
  if (weight >= settings.endpoint_quarantine_threshold) {
    return { state: 'quarantined', since: failure.at, probe, failure }
  }
  if (health.state === 'suspect') return { ...health, probe, failure }
  return weight >= settings.endpoint_suspect_threshold
    ? { state: 'suspect', since: failure.at, probe, failure }
    : health
}

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
 * No timer and no user request ever leads out of quarantine.
 */
export function healthAfter(
  health: Health,
  event: HealthEvent,
  settings: HealthSettings,
  random: number,
): Health {
  switch (event.kind) {
    case 'evidence':
      return onEvidence(health, event, settings, random)
    case 'success':
      return health.state === 'quarantined' && event.via === 'request' ? health : HEALTHY
    case 'window_emptied':
      return health.state === 'quarantined' ? health : HEALTHY
    case 'probe_undecided': {
      if (health.state === 'healthy') return health
      const wait = event.waitMs ?? jittered(settings.endpoint_probe_interval_ms, random)
      return { ...health, probe: { ...health.probe, dueAt: event.at + wait } }
    }
    case 'probe_failed': {
      if (health.state === 'healthy') return health
      const { endpoint_probe_interval_ms } = settings
      return { ...health, probe: backOff(health.probe, event.at, endpoint_probe_interval_ms, random) }
    }
    case 'quarantine': {
      const { failure } = event
      if (health.state === 'quarantined') return health
      return { state: 'quarantined', since: failure.at, probe: firstProbe(failure, random), failure }
    }
    case 'release':
      return HEALTHY
  }
}
