import { NEEDED_CAPABILITIES, type NeededCapability } from '../capabilities.ts'
import { carriesParam, currentRefusals, knownEndpoint, type Remembered } from '../refusals.ts'
import type { ChatRequest } from '../chat-request.ts'
import { benchScope, endpointScopes, keyScopes } from '../health/cooldown-scope.ts'
import type { Candidate, Chain, Endpoint } from '../endpoint.ts'
import type { FailureKind } from '../failures/kinds.ts'
import type { Snapshot } from './snapshot.ts'

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
export type SkipReason = IncapableReason | 'no_key' | 'quarantined' | 'breaker_open' | 'cooldown'

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
}

export type Plan = {
  candidates: readonly Candidate[]
  skipped: readonly Skipped[]
  /** The fleet was degraded when the plan was made. */
  degraded: boolean
}

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
  { needs, promptTokens, body, nativeCall }: ChatRequest,
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

/** One look at the fleet: what it remembers, when, and whether local endpoints are all that is left. */
type Look = { snapshot: Snapshot; now: number; onlyLocalLeft: boolean }

type Cooling = { until: number; kind: FailureKind }

/** The longest cooldown among these scopes. */
function cooling(scopes: readonly string[], endpoint: Endpoint, look: Look): Cooling | null {
  const { snapshot, now, onlyLocalLeft } = look
  let latest: Cooling | null = null
  for (const scope of scopes) {
    const mark = snapshot.cooldowns.get(scope)
    if (!mark) continue
    const cap =
      onlyLocalLeft && endpoint.isLocal ? mark.at + snapshot.settings.local_cooldown_max_ms : Infinity
    const until = Math.min(mark.until, cap)
    if (until > now && until > (latest?.until ?? 0)) latest = { until, kind: mark.kind }
  }
  return latest
}

function absence(endpoint: Endpoint, look: Look): Bar | null {
  const { snapshot, now } = look
  const health = snapshot.health.get(endpoint.id)
  if (health?.state === 'quarantined') return bar('quarantined', health.nextProbeAt)
  const breaker = snapshot.breakers.get(endpoint.provider)
  const opened = breaker && breaker.trialAt > now ? breaker.trialAt : null
  // A bench must not block the trial of its provider's breaker.
  const scopes = [...endpointScopes(endpoint), ...(breaker ? [] : [benchScope(endpoint.id)])]
  const cooldown = cooling(scopes, endpoint, look)
  if (cooldown && cooldown.until > (opened ?? 0)) return bar('cooldown', cooldown.until, cooldown.kind)
  return opened === null ? null : bar('breaker_open', opened)
}

/** What ends last is what bars. */
function later(left: Bar | null, right: Bar | null): Bar | null {
  if (!left || !right) return left ?? right
  if (left.reason === 'quarantined') return left
  return (right.until ?? 0) > (left.until ?? 0) ? right : left
}

type Keys = { usable: readonly string[]; barred: Bar | null }

function usableKeys(endpoint: Endpoint, look: Look): Keys {
  const usable: string[] = []
  let soonest: Cooling | null = null
  for (const key of look.snapshot.keys.get(endpoint.provider) ?? []) {
    const cooldown = cooling(keyScopes(endpoint, key), endpoint, look)
    if (!cooldown) usable.push(key)
    else if (!soonest || cooldown.until < soonest.until) soonest = cooldown
  }
  if (usable.length > 0 || !soonest) return { usable, barred: null }
  return { usable, barred: bar('cooldown', soonest.until, soonest.kind) }
}

function planWith(request: ChatRequest, chain: Chain, look: Look): Plan {
  const { snapshot } = look
  const healthy: Candidate[] = []
  const suspects: Candidate[] = []
  const skipped: Skipped[] = []
  for (const [tier, replicas] of chain.tiers.entries()) {
    for (const declared of replicas) {
      const remembered = currentRefusals(snapshot.refusals.get(declared.id) ?? [], look.now)
      const endpoint = knownEndpoint(declared, remembered)
      const keys = usableKeys(endpoint, look)
      const barred =
        incapability(declared, remembered, request) ??
        keylessness(endpoint, snapshot) ??
        later(absence(endpoint, look), keys.barred)
      if (barred) {
        skipped.push({ endpoint, tier, ...barred })
        continue
      }
      const suspect = snapshot.health.get(endpoint.id)?.state === 'suspect'
      const trial = snapshot.breakers.has(endpoint.provider)
      const target = suspect ? suspects : healthy
      target.push({ endpoint, tier, suspect, trial, keys: keys.usable })
    }
  }
  return { candidates: [...healthy, ...suspects], skipped, degraded: snapshot.degraded }
}

/**
 * Orders the endpoints of a chain for one request and leaves out, each with its reason, those that the fleet knows
 * would fail: a real request never pays to rediscover them. Suspects come after every healthy candidate of the
 * whole chain. Instants in epoch milliseconds.
 */
export function planChain(request: ChatRequest, chain: Chain, snapshot: Snapshot, now: number): Plan {
  const plan = planWith(request, chain, { snapshot, now, onlyLocalLeft: false })
  if (plan.candidates.length > 0) return plan
  // A single local model is all its owner has, so it is not benched for long.
  return planWith(request, chain, { snapshot, now, onlyLocalLeft: true })
}

/** A planned endpoint as the fleet sees it now: the keys that may be used, or why it must not be called any more. */
export function lookAgain(endpoint: Endpoint, snapshot: Snapshot, now: number): Keys {
  // Whoever stood before it in the plan has failed, so a local endpoint is among what is left.
  const look = { snapshot, now, onlyLocalLeft: true }
  const keys = usableKeys(endpoint, look)
  const barred = later(absence(endpoint, look), keys.barred)
  return barred ? { usable: [], barred } : keys
}
