import type { Endpoint } from '../endpoint.ts'
import type { FailureKind } from '../failures/kinds.ts'
import { earlyTrialAt } from '../health/breaker.ts'
import {
  benchScope,
  endpointLimits,
  keyLimits,
  providerScope,
  type BreakerScope,
  type TrialClaim,
} from '../health/breaker-scope.ts'
import { isProbed } from '../health/is-probed.ts'
import { headroomAt, keyAtEndpoint, keysAt } from '../quota/quota-mark.ts'
import { lastResortEvery } from '../health/limit.ts'
import { modelTag } from '../health/short-hash.ts'
import type { BreakerMark, Snapshot } from './snapshot.ts'

/** One look at the fleet: what it remembers, when, and whether local endpoints are all that is left. */
export type Look = { snapshot: Snapshot; now: number; onlyLocalLeft: boolean }

/** What bars an endpoint, and until when (epoch milliseconds). */
export type Barrier =
  | { reason: 'quarantined' | 'quota'; until: number; cause: null }
  | { reason: 'breaker_open' | 'cooldown'; until: number; cause: FailureKind | null }

/** How an endpoint may be called although it is barred: only guesses bar it, and nothing else is left. */
export type LastResort = {
  /** From when on. */
  at: number
  keys: readonly string[]
  trial: readonly TrialClaim[]
}

export type Availability =
  /** `trial`: half-open breakers, all of which must be claimed first; none where nothing is in the way. */
  | { state: 'available'; keys: readonly string[]; trial: readonly TrialClaim[] }
  | { state: 'barred'; barrier: Barrier; lastResort: LastResort | null }

/** A model that opened its provider's breaker leaves the trial to its siblings for so long. */
const SIBLINGS_FIRST_MS = 10_000

/** What one scope says: nothing, a trial that is due, or a barrier. */
type Part =
  | { state: 'open' }
  | { state: 'due'; claim: TrialClaim }
  | { state: 'barred'; barrier: Barrier; lastResort: { at: number; claim: TrialClaim } | null }

const OPEN: Part = { state: 'open' }

function partOf(
  scope: BreakerScope,
  { breaker }: BreakerMark,
  endpoint: Endpoint,
  look: Look,
  delayMs: number,
): Part {
  const { snapshot, now } = look
  const reason = scope.startsWith('provider#') ? 'breaker_open' : 'cooldown'
  const causeOf = (kind: FailureKind): FailureKind | null => (reason === 'cooldown' ? kind : null)
  const { guess, stated } = breaker
  if (stated && stated.until > now) {
    const until = Math.max(stated.until, guess?.until ?? 0)
    return { state: 'barred', barrier: { reason, until, cause: causeOf(stated.kind) }, lastResort: null }
  }
  if (!guess) return OPEN
  const isLeased = breaker.state === 'half-open' && breaker.trial.leaseUntil > now
  const isLocal = look.onlyLocalLeft && endpoint.isLocal
  const ownEnd = isLeased ? breaker.trial.leaseUntil : guess.until + delayMs
  const until =
    isLocal && !isLeased ? Math.min(ownEnd, guess.openedAt + snapshot.settings.local_cooldown_max_ms) : ownEnd
  const everyMs = isLocal
    ? Math.min(
        snapshot.settings.local_cooldown_max_ms,
        lastResortEvery(guess, snapshot.settings.last_resort_ms),
      )
    : lastResortEvery(guess, snapshot.settings.last_resort_ms)
  if (until <= now) return { state: 'due', claim: { scope, everyMs: guess.until > now ? everyMs : null } }
  return {
    state: 'barred',
    barrier: { reason, until, cause: causeOf(guess.kind) },
    lastResort: { at: earlyTrialAt(breaker, everyMs, now), claim: { scope, everyMs } },
  }
}

/** How much later a model that opened its provider's breaker may try it, where it has siblings that did not. */
function siblingsFirst(endpoint: Endpoint, { causes }: BreakerMark): number {
  return causes.length === 1 && causes[0] === modelTag(endpoint.id) ? SIBLINGS_FIRST_MS : 0
}

/** What several scopes say together: what ends last bars, and all their trials are one. */
function together(parts: readonly Part[], keys: readonly string[]): Availability {
  const claims = parts.flatMap(part => (part.state === 'due' ? [part.claim] : []))
  const barred = parts.filter(part => part.state === 'barred')
  const [first] = barred.toSorted((one, other) => other.barrier.until - one.barrier.until)
  if (!first) return { state: 'available', keys, trial: claims }
  const resorts = barred.flatMap(({ lastResort }) => lastResort ?? [])
  const lastResort =
    resorts.length < barred.length
      ? null
      : {
          at: Math.max(...resorts.map(({ at }) => at)),
          keys,
          trial: [...claims, ...resorts.map(({ claim }) => claim)],
        }
  return { state: 'barred', barrier: first.barrier, lastResort }
}

function partsOf(scopes: readonly BreakerScope[], endpoint: Endpoint, look: Look): readonly Part[] {
  return scopes.map(scope => {
    const mark = look.snapshot.breakers.get(scope)
    return mark ? partOf(scope, mark, endpoint, look, siblingsFirst(endpoint, mark)) : OPEN
  })
}

/** A quota that is spent comes back when it does: calling before would only meet a refusal. */
function quotaPart(endpoint: Endpoint, key: string | null, { snapshot, now }: Look): Part {
  const until = snapshot.quotas.get(keyAtEndpoint(endpoint, key))?.spentUntil ?? null
  if (until === null || until <= now) return OPEN
  return { state: 'barred', barrier: { reason: 'quota', until, cause: null }, lastResort: null }
}

const keyParts = (endpoint: Endpoint, key: string | null, look: Look): readonly Part[] => [
  ...(key === null ? [] : partsOf(keyLimits(endpoint, key), endpoint, look)),
  quotaPart(endpoint, key, look),
]

/** The keys that may be used: all that nothing bars, the one with most left first; else the one that is tried next. */
function keysOf(endpoint: Endpoint, look: Look): Availability {
  const { snapshot } = look
  const each = keysAt(endpoint, snapshot).map(key =>
    together(keyParts(endpoint, key, look), key === null ? [] : [key]),
  )
  const free = each.filter(one => one.state === 'available' && one.trial.length === 0)
  if (free.length > 0) {
    const keys = free.flatMap(one => (one.state === 'available' ? one.keys : []))
    const left = (key: string): number => headroomAt(endpoint, key, snapshot)
    return { state: 'available', keys: keys.toSorted((one, other) => left(other) - left(one)), trial: [] }
  }
  const due = each.find(one => one.state === 'available')
  if (due) return due
  const barred = each
    .filter(one => one.state === 'barred')
    .toSorted((one, other) => endOf(one) - endOf(other))
  const [soonest] = barred
  if (!soonest) return { state: 'available', keys: [], trial: [] }
  const resort = barred.find(({ lastResort }) => lastResort !== null)
  return { ...soonest, lastResort: resort?.lastResort ?? null }
}

const endOf = ({ barrier }: Extract<Availability, { state: 'barred' }>): number => barrier.until

/** When a barrier ends; null = no clock ends it: an order of the operator, or a quarantine that no probe will end. */
export function endOfBarrier(
  { reason, until }: Barrier,
  endpoint: Endpoint,
  snapshot: Snapshot,
): number | null {
  if (reason !== 'quarantined') return until
  const health = snapshot.health.get(endpoint.id)
  const isOrdered = health?.state === 'quarantined' && health.byHand !== undefined
  return isOrdered || !isProbed(endpoint, snapshot.settings) ? null : until
}

/** Whether an endpoint may be called now, with which keys, and what must be claimed for it. */
export function availabilityOf(endpoint: Endpoint, look: Look): Availability {
  const { snapshot } = look
  const health = snapshot.health.get(endpoint.id)
  if (health?.state === 'quarantined') {
    const barrier = { reason: 'quarantined', until: health.nextProbeAt, cause: null } as const
    return { state: 'barred', barrier, lastResort: null }
  }
  // Nothing bars anything, as nearly always.
  if (snapshot.breakers.size === 0 && snapshot.quotas.size === 0) {
    return { state: 'available', keys: keysAt(endpoint, snapshot).filter(key => key !== null), trial: [] }
  }
  const provider = providerScope(endpoint.provider)
  // A bench must not block the trial of its provider's breaker.
  const bench = snapshot.breakers.has(provider) ? [] : [benchScope(endpoint.id)]
  const keys = keysOf(endpoint, look)
  const own = together(partsOf([provider, ...bench, ...endpointLimits(endpoint)], endpoint, look), [])
  return both(own, keys)
}

function both(own: Availability, keys: Availability): Availability {
  if (own.state === 'available' && keys.state === 'available') {
    return { ...keys, trial: [...own.trial, ...keys.trial] }
  }
  const barred = [own, keys]
    .filter(part => part.state === 'barred')
    .toSorted((one, other) => endOf(other) - endOf(one))
  const [first] = barred
  if (!first) return keys
  const resorts = [own, keys].map(part =>
    part.state === 'available' ? { at: 0, keys: part.keys, trial: part.trial } : part.lastResort,
  )
  const [ownResort, keyResort] = resorts
  const lastResort =
    ownResort && keyResort
      ? {
          at: Math.max(ownResort.at, keyResort.at),
          keys: keyResort.keys,
          trial: [...ownResort.trial, ...keyResort.trial],
        }
      : null
  return { state: 'barred', barrier: first.barrier, lastResort }
}
