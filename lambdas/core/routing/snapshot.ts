import type { Remembered } from '../refusals/refusals.ts'
import type { EndpointId } from '../endpoint.ts'
import type { FailureKind } from '../failures/kinds.ts'
import type { Breaker } from '../health/breaker.ts'
import type { BreakerScope } from '../health/breaker-scope.ts'
import type { QuotaMarks } from '../quota/quota-mark.ts'
import type { EndpointFigures } from './endpoint-figures.ts'
import type { Settings } from '../settings/settings.ts'

/** Health that is not normal; an endpoint without a mark is healthy. Instants in epoch milliseconds. */
export type HealthMark =
  | { state: 'suspect'; cause: FailureKind }
  | {
      state: 'quarantined'
      since: number
      /** What its failures were. */
      cause: FailureKind
      /** The reason of a quarantine by hand, which may be empty; absent = its failures were the reason. */
      byHand?: string
      nextProbeAt: number
      /** When a request may have it probed; null = not today any more. */
      nextOnDemandAt: number | null
    }

/** A breaker that is not closed, and the tags of the models whose failures opened a provider's. */
export type BreakerMark = { breaker: Exclude<Breaker, { state: 'closed' }>; causes: readonly string[] }

/** One picture of what the fleet remembers, of the keys and of the settings; the plan is made from it alone. */
export type Snapshot = {
  /** Key fingerprints of each provider, in the order in which they are used. */
  keys: ReadonlyMap<string, readonly string[]>
  health: ReadonlyMap<EndpointId, HealthMark>
  breakers: ReadonlyMap<BreakerScope, BreakerMark>
  /** Providers whose window holds failures. */
  failing: ReadonlySet<string>
  /** What endpoints have refused, also what has been forgotten since. */
  refusals: ReadonlyMap<EndpointId, readonly Remembered[]>
  /** What known quotas leave; `headroomOf` has an endpoint's share. */
  quotas: QuotaMarks
  /** As they are in force: the operator's overrides over all else. */
  settings: Settings
  /** What the fleet has counted of each endpoint; undefined where nothing is known yet. */
  figures: { get(endpoint: EndpointId): EndpointFigures | undefined }
  /** How often in a row this instance has not waited for an endpoint's first output, of late. */
  cuts: { get(endpoint: EndpointId): number | undefined }
  /** Fewer than half of the providers are usable. */
  degraded: boolean
}
