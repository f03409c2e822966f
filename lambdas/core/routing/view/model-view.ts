import type { AliasKind, Candidate, Chain, Endpoint, EndpointId } from '../../endpoint.ts'
import type { FailureKind } from '../../failures/kinds.ts'
import { providerScope } from '../../health/breaker-scope.ts'
import { isProbed } from '../../health/is-probed.ts'
import { providerKeyVariable } from '../../provider-key-variable.ts'
import { likelyPlan, type SkipReason, type Skipped } from '../plan.ts'
import type { Snapshot } from '../snapshot.ts'
import { hopWords } from './hop-words.ts'

/** One endpoint of a model's chain, as a short request would find it now. Instants in epoch milliseconds. */
export type HopView = {
  endpoint: string
  id: EndpointId
  provider: string
  /** From 1. */
  tier: number
  /** In the order in which they would be called, from 1; null = it would be skipped. */
  place: number | null
  /** It would be called now, if its turn came. */
  called: boolean
  /** It would be called, but once: that call is the test of what barred it, and others go elsewhere meanwhile. */
  test: boolean
  health: 'healthy' | 'suspect' | 'quarantined'
  /** Why it would be skipped. */
  reason: SkipReason | null
  /** What its failures were, where they are the reason. */
  cause: FailureKind | null
  /** Null = not known, or no clock ends it. */
  until: number | null
  next_probe_at: number | null
  /** The reason of a quarantine by hand, which may be empty; absent where it is none. */
  by_hand?: string
  /** What has to be set where it has no key. */
  key_variable?: string
  /** The same in a few words, but for the durations. */
  words: string
}

/** What may bring an endpoint back. */
export type NextEvent = {
  what: 'probe' | 'breaker test' | 'cooldown' | 'quota'
  at: number
  endpoint: string
}

/** Whether a model answers now, and from where. */
export type ModelView = {
  model: string
  kind: AliasKind
  /** Requests that come now are sent to somebody: a test of what failed before does not count. */
  answers: boolean
  /** It answers, but the last call of the endpoint that it would answer from failed. */
  doubtful: boolean
  answered_by: string | null
  /** Of the endpoint that answers, from 1. */
  tier: number | null
  tiers: number
  /** What comes first where nothing answers; null = nothing that time brings. */
  next: NextEvent | null
  /** In the order of the configuration. */
  chain: readonly HopView[]
}

type Found = { candidate: Candidate; place: number } | { skipped: Skipped }

/** Of what was open because calls failed: nobody knows yet whether it has ended. */
const isTestOfTrouble = ({ trial }: Candidate): boolean =>
  trial.some(({ scope }) => !scope.startsWith('limit#'))

/** The failures behind a state that the plan tells without them. */
function causeOf({ id, provider }: Endpoint, found: Found, snapshot: Snapshot): FailureKind | null {
  const mark = snapshot.health.get(id)
  if ('candidate' in found) {
    const [claim] = found.candidate.trial
    return claim ? kindAt(claim.scope, snapshot) : (mark?.cause ?? null)
  }
  const { reason, cause } = found.skipped
  if (reason === 'breaker_open') return kindAt(providerScope(provider), snapshot)
  if (reason !== 'quarantined' || mark?.state !== 'quarantined') return cause
  return mark.byHand === undefined ? mark.cause : null
}

function kindAt(scope: Candidate['trial'][number]['scope'], { breakers }: Snapshot): FailureKind | null {
  const breaker = breakers.get(scope)?.breaker
  return breaker?.guess?.kind ?? breaker?.stated?.kind ?? null
}

function hopOf(endpoint: Endpoint, tier: number, found: Found, snapshot: Snapshot): HopView {
  const skipped = 'skipped' in found ? found.skipped : null
  const reason = skipped?.reason ?? null
  const isQuarantined = reason === 'quarantined'
  const mayBeProbed = isProbed(endpoint, snapshot.settings)
  const mark = snapshot.health.get(endpoint.id)
  const byHand = isQuarantined && mark?.state === 'quarantined' ? mark.byHand : undefined
  const told = {
    health: mark?.state ?? 'healthy',
    test: 'candidate' in found && found.candidate.trial.length > 0,
    reason,
    cause: causeOf(endpoint, found, snapshot),
    ...(byHand !== undefined && { by_hand: byHand }),
  } as const
  return {
    endpoint: endpoint.name,
    id: endpoint.id,
    provider: endpoint.provider,
    tier: tier + 1,
    place: 'place' in found ? found.place : null,
    called: skipped === null,
    ...told,
    until: isQuarantined ? null : (skipped?.until ?? null),
    next_probe_at: isQuarantined && mayBeProbed ? (skipped?.until ?? null) : null,
    ...(reason === 'no_key' && { key_variable: providerKeyVariable(endpoint.provider) }),
    words: hopWords(told),
  }
}

/** What may bring a skipped endpoint back, and when; null = nothing that time brings. */
export function nextOf(
  hop: Pick<HopView, 'reason' | 'until' | 'next_probe_at'>,
): Omit<NextEvent, 'endpoint'> | null {
  const { reason, until, next_probe_at: probeAt } = hop
  if (reason === 'quarantined') return probeAt === null ? null : { what: 'probe', at: probeAt }
  if (until === null) return null
  if (reason === 'breaker_open') return { what: 'breaker test', at: until }
  return reason === 'cooldown' || reason === 'quota' ? { what: reason, at: until } : null
}

/** What comes first: the test that the next request is, or the soonest of the instants. */
function firstEvent(chain: readonly HopView[], now: number): NextEvent | null {
  const events = chain.flatMap(hop => {
    const next = hop.test ? ({ what: 'breaker test', at: now } as const) : nextOf(hop)
    return next ? [{ ...next, endpoint: hop.endpoint }] : []
  })
  return events.toSorted((one, other) => one.at - other.at)[0] ?? null
}

/** A model as a short request that needs nothing special would find it now: by the plan that requests get. */
export function modelView(chain: Chain, snapshot: Snapshot, now: number): ModelView {
  const { candidates, skipped } = likelyPlan(chain, snapshot, now)
  const found = new Map<string, Found>([
    ...candidates.map((candidate, index): [string, Found] => [
      `${candidate.tier} ${candidate.endpoint.id}`,
      { candidate, place: index + 1 },
    ]),
    ...skipped.map((skip): [string, Found] => [`${skip.tier} ${skip.endpoint.id}`, { skipped: skip }]),
  ])
  const hops = chain.tiers.flatMap((endpoints, tier) =>
    endpoints.flatMap(endpoint => {
      const planned = found.get(`${tier} ${endpoint.id}`)
      return planned ? [hopOf(endpoint, tier, planned, snapshot)] : []
    }),
  )
  // A test takes one call; all others go to what needs none.
  const sure = candidates.filter(candidate => !isTestOfTrouble(candidate))
  const answering = sure.find(({ trial }) => trial.length === 0) ?? sure[0] ?? null
  return {
    model: chain.alias,
    kind: chain.kind ?? chain.tiers[0]?.[0]?.kind ?? 'chat',
    answers: answering !== null,
    doubtful: answering !== null && snapshot.health.get(answering.endpoint.id)?.state === 'suspect',
    answered_by: answering?.endpoint.name ?? null,
    tier: answering === null ? null : answering.tier + 1,
    tiers: chain.tiers.length,
    next: answering === null ? firstEvent(hops, now) : null,
    chain: hops,
  }
}
