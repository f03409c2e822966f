import type { ChatRequest } from './chat-request.ts'
import { endpointScopes, keyScopes } from './cooldown-scope.ts'
import type { Candidate, Chain, Endpoint } from './endpoint.ts'
import type { FailureKind } from './failure.ts'
import type { CooldownMark, Snapshot } from './snapshot.ts'

/** Why an endpoint cannot serve this request, whatever its state: nothing to wait for. */
export const INCAPABLE_REASONS = ['no_tools', 'no_vision', 'no_json', 'context_too_small'] as const
export type IncapableReason = (typeof INCAPABLE_REASONS)[number]
export type SkipReason = IncapableReason | 'no_key' | 'quarantined' | 'breaker_open' | 'cooldown'

/** An endpoint left out before anything was sent, why, and until when (epoch milliseconds; null = not known). */
export type Skipped = {
  endpoint: Endpoint
  tier: number
  reason: SkipReason
  until: number | null
  /** What the cooldown is for. */
  cause: FailureKind | null
}

export type Plan = { candidates: readonly Candidate[]; skipped: readonly Skipped[] }

type Bar = Omit<Skipped, 'endpoint' | 'tier'>
const bar = (reason: SkipReason, until: number | null = null, cause: FailureKind | null = null): Bar => ({
  reason,
  until,
  cause,
})

function incapability(endpoint: Endpoint, request: ChatRequest): Bar | null {
  if (request.needs.tools && endpoint.tools === false) return bar('no_tools')
  if (request.needs.vision && endpoint.vision === false) return bar('no_vision')
  if (request.needs.json && endpoint.json === false) return bar('no_json')
  if (endpoint.contextWindow !== null && endpoint.contextWindow < request.promptTokens) {
    return bar('context_too_small')
  }
  return null
}

function activeCooldown(scopes: readonly string[], snapshot: Snapshot, now: number): CooldownMark | null {
  let latest: CooldownMark | null = null
  for (const scope of scopes) {
    const mark = snapshot.cooldowns.get(scope)
    if (mark && mark.until > now && mark.until > (latest?.until ?? 0)) latest = mark
  }
  return latest
}

/** Nobody waits for an endpoint that could not be asked on its return either. */
const keylessness = (endpoint: Endpoint, snapshot: Snapshot): Bar | null =>
  endpoint.needsKey && (snapshot.keys.get(endpoint.provider) ?? []).length === 0 ? bar('no_key') : null

function absence(endpoint: Endpoint, snapshot: Snapshot, now: number): Bar | null {
  const health = snapshot.health.get(endpoint.id)
  if (health?.state === 'quarantined') return bar('quarantined', health.nextProbeAt)
  const breaker = snapshot.breakers.get(endpoint.provider)
  if (breaker && breaker.trialAt > now) return bar('breaker_open', breaker.trialAt)
  const cooldown = activeCooldown(endpointScopes(endpoint), snapshot, now)
  return cooldown && bar('cooldown', cooldown.until, cooldown.kind)
}

type Keys = { usable: readonly string[]; barred: Bar | null }

function usableKeys(endpoint: Endpoint, snapshot: Snapshot, now: number): Keys {
  const usable: string[] = []
  let soonest: CooldownMark | null = null
  for (const key of snapshot.keys.get(endpoint.provider) ?? []) {
    const cooldown = activeCooldown(keyScopes(endpoint, key), snapshot, now)
    if (!cooldown) usable.push(key)
    else if (!soonest || cooldown.until < soonest.until) soonest = cooldown
  }
  if (usable.length > 0 || !soonest) return { usable, barred: null }
  return { usable, barred: bar('cooldown', soonest.until, soonest.kind) }
}

/**
 * Orders the endpoints of a chain for one request and leaves out, each with its reason, those that the fleet knows
 * would fail: a real request never pays to rediscover them. Suspects come after every healthy candidate of the
 * whole chain. Instants in epoch milliseconds.
 */
export function planChain(request: ChatRequest, chain: Chain, snapshot: Snapshot, now: number): Plan {
  const healthy: Candidate[] = []
  const suspects: Candidate[] = []
  const skipped: Skipped[] = []
  for (const [tier, replicas] of chain.tiers.entries()) {
    for (const endpoint of replicas) {
      const keys = usableKeys(endpoint, snapshot, now)
      const barred =
        incapability(endpoint, request) ??
        keylessness(endpoint, snapshot) ??
        absence(endpoint, snapshot, now) ??
        keys.barred
      if (barred) {
        skipped.push({ endpoint, tier, ...barred })
        continue
      }
      const suspect = snapshot.health.get(endpoint.id)?.state === 'suspect'
      const target = suspect ? suspects : healthy
      target.push({ endpoint, tier, suspect, keys: keys.usable })
    }
  }
  return { candidates: [...healthy, ...suspects], skipped }
}
