import { capabilityKey, endpointKey } from '../../core/item-keys.ts'
import { currentBreaker, trialAt, type Breaker } from '../../core/health/breaker.ts'
import { currentRefusals, effectiveRefusals, type Remembered } from '../../core/refusals/refusals.ts'
import {
  benchScope,
  endpointLimits,
  keyLimits,
  providerScope,
  scopeWord,
  type BreakerScope,
} from '../../core/health/breaker-scope.ts'
import { DAY_WINDOW, bucketsOf } from '../../core/health/counter-names.ts'
import type { Endpoint, EndpointId } from '../../core/endpoint.ts'
import { lookAgain } from '../../core/routing/plan.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import { sumWindow } from '../../core/health/window.ts'
import { isRetired, readSuggestion } from '../../core/health/retirement.ts'
import { byHandOf, type LastFailure } from '../../core/health/health.ts'
import { isProbed } from '../../core/health/is-probed.ts'
import { readLastFailure } from '../../core/health/last-failure.ts'
import type { Stats } from '../../store/fleet-store.ts'
import type { EndpointItem } from '../../store/state-item.ts'
import type { QuotaRow } from '../quotas/quota-rows.ts'
import { breakerOf } from './change-breaker.ts'
import { itemAt } from './change-item.ts'
import type { StateItems } from './fleet-view.ts'
import { snapshotOf } from './snapshot-of.ts'

/** One endpoint as people see it; instants in epoch milliseconds. */
export type EndpointRow = {
  endpoint: string
  id: string
  provider: string
  /** It needs a key and none is set. */
  missing_key: boolean
  /** It could be asked now, at least as the last that is left. */
  usable: boolean
  health: 'healthy' | 'suspect' | 'quarantined'
  since: number | null
  next_probe_at: number | null
  /** The reason of a quarantine by hand, which may be empty; absent where it is none. */
  by_hand?: string
  /** Of any kind, whether it moved its health or not; it stays when the endpoint is well again. */
  last_failure: { kind: string; status: number | null; message: string; at: number } | null
  /** Its model is gone for good, as far as anybody can tell. */
  retired: boolean
  /** What its provider lists in its place, as an endpoint. */
  suggestion: string | null
  breaker: 'closed' | 'open' | 'half-open'
  trial_at: number | null
  cooldowns: readonly { scope: string; key: string | null; reason: string; until: number }[]
  /** What it has refused, and until when that is believed. */
  refuses: readonly Remembered[]
  /** The limits that are known of it, by key; `returns_at` where nothing is left. */
  quotas: readonly Omit<QuotaRow, 'endpoint'>[]
  /** Of the last seven days. */
  successes: number
  failures: number
}

type Sources = {
  items: StateItems
  keys: Snapshot['keys']
  settings: Settings
  figures: Snapshot['figures']
  counted: ReadonlyMap<string, Stats>
  /** The last failures that the table has not been told of yet. */
  untold?: (endpoint: EndpointId) => string | null
  quotas?: { marks: Snapshot['quotas']; rows: readonly QuotaRow[] }
  now: number
}

/** What bars now, and why: a statement before a guess. */
function barOf(breaker: Breaker, now: number): { reason: string; until: number } | null {
  if (breaker.state === 'closed') return null
  const { guess, stated } = breaker
  const bars = [stated, guess].flatMap(wait => (wait && wait.until > now ? [wait] : []))
  const [longest] = bars.toSorted((one, other) => other.until - one.until)
  return longest ? { reason: longest.kind, until: longest.until } : null
}

function cooldownsOf(endpoint: Endpoint, { items, keys, now }: Sources): EndpointRow['cooldowns'] {
  const scopes: [BreakerScope, string | null][] = [
    ...[...endpointLimits(endpoint), benchScope(endpoint.id)].map((scope): [BreakerScope, null] => [
      scope,
      null,
    ]),
    ...(keys.get(endpoint.provider) ?? []).flatMap(key =>
      keyLimits(endpoint, key).map((scope): [BreakerScope, string] => [scope, key]),
    ),
  ]
  return scopes.flatMap(([scope, key]) => {
    const bar = barOf(breakerOf(items, scope, now), now)
    return bar ? [{ scope: scopeWord(scope), key, ...bar }] : []
  })
}

function breakerWord(breaker: Breaker, now: number): EndpointRow['breaker'] {
  const due = trialAt(breaker)
  return breaker.state === 'open' && due !== null && due <= now ? 'half-open' : breaker.state
}

function rowOf(endpoint: Endpoint, sources: Sources, snapshot: Snapshot): EndpointRow {
  const { items, keys, counted, untold, now } = sources
  const health = itemAt(items, 'endpoint', endpointKey(endpoint.id))?.health
  const breaker = currentBreaker(breakerOf(items, providerScope(endpoint.provider), now), now)
  const { refusals = [] } = itemAt(items, 'capability', capabilityKey(endpoint.id)) ?? {}
  const { counters = {}, lastFailure = null, suggestion = null } = counted.get(endpointKey(endpoint.id)) ?? {}
  const last = latest(readLastFailure(untold?.(endpoint.id) ?? null), readLastFailure(lastFailure))
  const byHand = health && byHandOf(health)
  const retired = health !== undefined && isRetired(health, last, now)
  const successor = readSuggestion(suggestion)?.model ?? null
  const missing = endpoint.needsKey && (keys.get(endpoint.provider) ?? []).length === 0
  const { state } = lookAgain(endpoint, snapshot, now)
  const sum = (kind: 'dayOk' | 'dayFailed'): number => sumWindow(bucketsOf(counters, kind), now, DAY_WINDOW)
  return {
    endpoint: endpoint.name,
    id: endpoint.id,
    provider: endpoint.provider,
    missing_key: missing,
    usable: !missing && state === 'available',
    health: health?.state ?? 'healthy',
    since: health?.since ?? null,
    next_probe_at:
      byHand === undefined && isProbed(endpoint, sources.settings) ? (health?.probe.dueAt ?? null) : null,
    ...(byHand !== undefined && { by_hand: byHand }),
    last_failure: last ?? (health && byHand === undefined ? unknownFailure(health) : null),
    retired,
    suggestion: retired && successor !== null ? `${endpoint.provider}/${successor}` : null,
    breaker: breakerWord(breaker, now),
    trial_at: trialAt(breaker),
    cooldowns: cooldownsOf(endpoint, sources),
    refuses: effectiveRefusals(endpoint, currentRefusals(refusals, now)),
    quotas: quotasOf(endpoint, sources),
    successes: sum('dayOk'),
    failures: sum('dayFailed'),
  }
}

const quotasOf = ({ id }: Endpoint, { quotas }: Sources): EndpointRow['quotas'] =>
  (quotas?.rows ?? []).flatMap(({ endpoint, ...row }) => (endpoint === id ? [row] : []))

const latest = (one: LastFailure | null, other: LastFailure | null): LastFailure | null =>
  one && other ? (one.at > other.at ? one : other) : (one ?? other)

/** Where the words were lost with the counters. */
const unknownFailure = ({ cause, since }: EndpointItem['health']): EndpointRow['last_failure'] => ({
  kind: cause,
  status: null,
  message: '',
  at: since,
})

/** Every endpoint with what the fleet remembers of it, in the order of the configuration. */
export function describeFleet(endpoints: readonly Endpoint[], sources: Sources): readonly EndpointRow[] {
  const { items, keys, quotas, settings, figures, now } = sources
  const snapshot = snapshotOf(items, {
    keys,
    ...(quotas && { quotas: quotas.marks }),
    settings,
    figures,
    now,
  })
  return endpoints.map(endpoint => rowOf(endpoint, sources, snapshot))
}
