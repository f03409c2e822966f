import { NEEDED_CAPABILITIES, type NeededCapability } from '../capabilities.ts'
import { carriesParam } from '../refusals/carries-param.ts'
import { currentRefusals, knownEndpoint, type Remembered } from '../refusals/refusals.ts'
import type { Rank } from '../order/rank.ts'
import type { ChatRequest } from '../chat-request.ts'
import type { Candidate, Chain, Endpoint } from '../endpoint.ts'
import type { FailureKind } from '../failures/kinds.ts'
import { availabilityOf, endOfBarrier, type Availability, type Look } from './availability.ts'
import { isProbed } from '../health/is-probed.ts'
import { recordOf } from '../record-of.ts'
import { orderReplicas, type OrderLook } from './order/order-replicas.ts'
import type { Random } from './order/sample-beta.ts'
import type { Snapshot } from './snapshot.ts'
import { isSentOnce } from './tool-round.ts'

/** Why an endpoint cannot serve this request, whatever its state: nothing to wait for. */
export type IncapableReason =
  `no_${NeededCapability}` | 'not_native' | 'no_state' | 'context_too_small' | 'param_refused'
export const INCAPABLE_REASONS: readonly IncapableReason[] = [
  ...NEEDED_CAPABILITIES.map(name => `no_${name}` as const),
  'not_native',
  'no_state',
  'context_too_small',
  'param_refused',
]
export const SKIP_REASONS = [
  ...INCAPABLE_REASONS,
  'no_key',
  'quarantined',
  'breaker_open',
  'cooldown',
  'quota',
] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** An endpoint left out before anything was sent, why, and until when (epoch milliseconds; null = not known). */
export type Skipped = {
  endpoint: Endpoint
  tier: number
  reason: SkipReason
  until: number | null
  /** What the cooldown is for. */
  cause: FailureKind | null
  /** The refused field, where that is the reason. */
  param?: string
  /**
   * When it may be called although guesses bar it, or probed although it is quarantined; absent where what bars it was
   * stated.
   */
  lastResortAt?: number
}

export type Plan = {
  candidates: readonly Candidate[]
  /** Endpoints that only guesses bar, the one that returns first before the others: for when nothing else is left. */
  lastResorts: readonly Candidate[]
  /** Those that are a last resort among them. */
  skipped: readonly Skipped[]
  /** The fleet was degraded when the plan was made. */
  degraded: boolean
}

/** What a plan depends on. */
type PlannedRequest = Pick<ChatRequest, 'needs' | 'promptTokens' | 'body' | 'nativeCall'> &
  Partial<Pick<ChatRequest, 'toolRound'>>

type Bar = Omit<Skipped, 'endpoint' | 'tier'>
const bar = (reason: SkipReason, until: number | null = null, cause: FailureKind | null = null): Bar => ({
  reason,
  until,
  cause,
})

/** What only an endpoint of the client's own API can serve, or only one that remembers answers. */
function nativeIncapability({ wires = {} }: Endpoint, call: ChatRequest['nativeCall']): Bar | null {
  const wire = call?.api && wires[call.api]
  const { state = null, api = null } = call?.needs ?? {}
  if (state !== null && !wire?.stateful) return { ...bar('no_state'), param: state }
  return api !== null && !wire ? { ...bar('not_native'), param: api } : null
}

/** What an endpoint cannot do for this request; `until` where it is only remembered, because it once refused. */
function incapability(
  endpoint: Endpoint,
  remembered: readonly Remembered[],
  { needs, promptTokens, body, nativeCall }: PlannedRequest,
): Bar | null {
  const untranslatable = nativeIncapability(endpoint, nativeCall)
  if (untranslatable) return untranslatable
  const known = knownEndpoint(endpoint, remembered)
  const untilOf = (what: Remembered['what'], declared: unknown): number | null =>
    declared === null ? (remembered.find(refusal => refusal.what === what)?.until ?? null) : null
  const lacking = NEEDED_CAPABILITIES.find(name => needs[name] && known[name] === false)
  if (lacking !== undefined) return bar(`no_${lacking}`, untilOf(lacking, endpoint[lacking]))
  if (known.contextWindow !== null && known.contextWindow < promptTokens) {
    return bar('context_too_small', untilOf('context', endpoint.contextWindow))
  }
  for (const refusal of remembered) {
    if (refusal.what !== 'param' || !carriesParam(body, refusal.name)) continue
    return { ...bar('param_refused', refusal.until), param: refusal.name }
  }
  return null
}

/** No request waits for an endpoint that could not be called on its return either. */
const keylessness = (endpoint: Endpoint, snapshot: Snapshot): Bar | null =>
  endpoint.needsKey && (snapshot.keys.get(endpoint.provider) ?? []).length === 0 ? bar('no_key') : null

type Barred = Extract<Availability, { state: 'barred' }>

/** When something may be tried there before its time. */
function lastResortAt(endpoint: Endpoint, { lastResort }: Barred, snapshot: Snapshot): number | null {
  const health = snapshot.health.get(endpoint.id)
  const mayBeProbed = health?.state === 'quarantined' && isProbed(endpoint, snapshot.settings)
  return lastResort?.at ?? (mayBeProbed ? health.nextOnDemandAt : null)
}

function barOf(endpoint: Endpoint, barred: Barred, snapshot: Snapshot): Bar {
  const { reason, cause } = barred.barrier
  const at = lastResortAt(endpoint, barred, snapshot)
  const until = endOfBarrier(barred.barrier, endpoint, snapshot)
  return { ...bar(reason, until, cause), ...(at === null ? {} : { lastResortAt: at }) }
}

type Late = { candidate: Candidate; until: number }

const orderLook = (
  { promptTokens, toolRound }: PlannedRequest,
  snapshot: Snapshot,
  random: Random | null,
): OrderLook => ({
  snapshot,
  promptTokens,
  random,
  sentOnce: toolRound !== undefined && isSentOnce(toolRound, snapshot.settings),
})

function planWith(request: PlannedRequest, chain: Chain, look: Look, random: Random | null): Plan {
  const { snapshot } = look
  const ordering = orderLook(request, snapshot, random)
  const healthy: Candidate[] = []
  const suspects: Candidate[] = []
  const late: Late[] = []
  const skipped: Skipped[] = []
  for (const [tier, listed] of chain.tiers.entries()) {
    const replicas = orderReplicas(listed, chain.strategy, ordering)
    for (const { endpoint: declared, rank } of replicas) {
      const remembered = currentRefusals(snapshot.refusals.get(declared.id) ?? [], look.now)
      const endpoint = knownEndpoint(declared, remembered)
      const lacking = incapability(declared, remembered, request) ?? keylessness(endpoint, snapshot)
      if (lacking) {
        skipped.push({ endpoint, tier, ...lacking })
        continue
      }
      const availability = availabilityOf(endpoint, look)
      const suspect = snapshot.health.get(endpoint.id)?.state === 'suspect'
      if (availability.state === 'barred') {
        const { lastResort, barrier } = availability
        skipped.push({ endpoint, tier, ...barOf(endpoint, availability, snapshot) })
        if (lastResort) {
          const { trial, keys } = lastResort
          const candidate = { endpoint, tier, suspect, trial, lastResort: true, keys, ...ranked(rank) }
          late.push({ candidate, until: barrier.until })
        }
        continue
      }
      const { keys, trial } = availability
      const target = suspect ? suspects : healthy
      target.push({ endpoint, tier, suspect, trial, lastResort: false, keys, ...ranked(rank) })
    }
  }
  const lastResorts = late.toSorted((one, other) => one.until - other.until).map(({ candidate }) => candidate)
  return { candidates: [...healthy, ...suspects], lastResorts, skipped, degraded: snapshot.degraded }
}

const ranked = (rank: Rank | null): { rank?: Rank } => (rank === null ? {} : { rank })

/**
 * Orders the endpoints of a chain for one request and leaves out, each with its reason, those that the fleet knows
 * would fail: a real request never pays to rediscover them. Suspects come after every healthy candidate of the
 * whole chain. Instants in epoch milliseconds; without chance the replicas are in the likeliest order.
 */
export function planChain(
  request: PlannedRequest,
  chain: Chain,
  snapshot: Snapshot,
  now: number,
  random: Random | null = null,
): Plan {
  const plan = planWith(request, chain, { snapshot, now, onlyLocalLeft: false }, random)
  if (plan.candidates.length > 0) return plan
  // A single local model is all its owner has, so no guess bars it for long.
  return planWith(request, chain, { snapshot, now, onlyLocalLeft: true }, random)
}

/** A planned endpoint as the fleet sees it now: whoever stood before it has failed, so it is among what is left. */
export const lookAgain = (endpoint: Endpoint, snapshot: Snapshot, now: number): Availability =>
  availabilityOf(endpoint, { snapshot, now, onlyLocalLeft: true })

const USUAL: PlannedRequest = {
  needs: recordOf(NEEDED_CAPABILITIES, () => false),
  promptTokens: 1_000,
  body: {},
  nativeCall: null,
}

/** The plan of a short request that needs nothing special, in the likeliest order. */
export const likelyPlan = (chain: Chain, snapshot: Snapshot, now: number): Plan =>
  planChain(USUAL, chain, snapshot, now)

/** The endpoint of a chain alone that comes first this time, for clients that want no other. */
export function firstOnly(
  request: ChatRequest,
  chain: Chain,
  snapshot: Snapshot,
  random: Random | null = null,
): Chain {
  const listed = chain.tiers.find(tier => tier.length > 0) ?? []
  const [first] = orderReplicas(listed, chain.strategy, orderLook(request, snapshot, random))
  return { ...chain, tiers: first ? [[first.endpoint]] : [] }
}

/** A plan that has no candidate calls its last resorts that may be called now. */
export function withLastResorts(plan: Plan, now: number): Plan {
  if (plan.candidates.length > 0) return plan
  const { skipped, lastResorts } = plan
  const isReady = (endpoint: Endpoint): boolean =>
    skipped.some(skip => skip.endpoint === endpoint && (skip.lastResortAt ?? Infinity) <= now)
  const candidates = lastResorts.filter(({ endpoint }) => isReady(endpoint))
  const rest = skipped.filter(
    ({ endpoint }) => !candidates.some(candidate => candidate.endpoint === endpoint),
  )
  return { ...plan, candidates, lastResorts: [], skipped: rest }
}
