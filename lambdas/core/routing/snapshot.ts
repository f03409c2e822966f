import type { Remembered } from '../refusals.ts'
import type { EndpointId } from '../endpoint.ts'
import type { FailureKind } from '../failures/kinds.ts'
import type { Settings } from '../settings/settings.ts'

/** Health that is not normal; an endpoint without a mark is healthy. Instants in epoch milliseconds. */
export type HealthMark =
  { state: 'suspect' } | { state: 'quarantined'; since: number; nextProbeAt: number | null }

/** A provider breaker that is not closed, and when its next trial is due. */
export type BreakerMark = { trialAt: number }

/** A timed bench, when it was last prolonged, and the kind of failure that caused it. */
export type CooldownMark = { until: number; at: number; kind: FailureKind }

/** One picture of what the fleet remembers, of the keys and of the settings; the plan is made from it alone. */
export type Snapshot = {
  /** Key fingerprints of each provider, in the order in which they are used. */
  keys: ReadonlyMap<string, readonly string[]>
  health: ReadonlyMap<EndpointId, HealthMark>
  breakers: ReadonlyMap<string, BreakerMark>
  /** By `cooldownScope` and `benchScope`. */
  cooldowns: ReadonlyMap<string, CooldownMark>
  /** What endpoints have refused, also what has been forgotten since. */
  refusals: ReadonlyMap<EndpointId, readonly Remembered[]>
  /** As they are in force: the operator's overrides over all else. */
  settings: Settings
  /** Fewer than half of the providers are usable. */
  degraded: boolean
}
