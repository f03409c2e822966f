import { breakerKey, capabilityKey, cooldownKey, endpointKey } from '../../core/item-keys.ts'
import { trialAt } from '../../core/health/breaker.ts'
import { currentRefusals, effectiveRefusals, type Remembered } from '../../core/refusals.ts'
import { benchScope, endpointScopes, keyScopes } from '../../core/health/cooldown-scope.ts'
import { DAY_WINDOW, bucketsOf } from '../../core/health/counter-names.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import { lookAgain } from '../../core/routing/plan.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Snapshot } from '../../core/routing/snapshot.ts'
import { sumWindow } from '../../core/health/window.ts'
import type { Counters } from '../../store/fleet-store.ts'
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
  last_failure: { kind: string; status: number | null; message: string; at: number } | null
  breaker: 'closed' | 'open' | 'half-open'
  trial_at: number | null
  cooldowns: readonly { scope: string; key: string | null; reason: string; until: number }[]
  /** What it has refused, and until when that is believed. */
  refuses: readonly Remembered[]
  /** Of the last seven days. */
  successes: number
  failures: number
}

type Sources = {
  items: StateItems
  keys: Snapshot['keys']
  settings: Settings
  counts: ReadonlyMap<string, Counters>
  now: number
}

function cooldownsOf(endpoint: Endpoint, { items, keys, now }: Sources): EndpointRow['cooldowns'] {
  const scopes: [string, string | null][] = [
    ...[...endpointScopes(endpoint), benchScope(endpoint.id)].map((scope): [string, null] => [scope, null]),
    ...(keys.get(endpoint.provider) ?? []).flatMap(key =>
      keyScopes(endpoint, key).map((scope): [string, string] => [scope, key]),
    ),
  ]
  return scopes.flatMap(([scope, key]) => {
    const cooldown = itemAt(items, 'cooldown', cooldownKey(scope))?.cooldown
    if (!cooldown || cooldown.until <= now) return []
    return [{ scope: scope.slice(0, scope.indexOf('#')), key, reason: cooldown.kind, until: cooldown.until }]
  })
}

function rowOf(endpoint: Endpoint, sources: Sources): EndpointRow {
  const { items, keys, counts, now, settings } = sources
  const health = itemAt(items, 'endpoint', endpointKey(endpoint.id))?.health
  const breaker = itemAt(items, 'breaker', breakerKey(endpoint.provider))?.breaker
  const { refusals = [] } = itemAt(items, 'capability', capabilityKey(endpoint.id)) ?? {}
  const counters = counts.get(endpoint.id) ?? {}
  const missing = endpoint.needsKey && (keys.get(endpoint.provider) ?? []).length === 0
  const { barred } = lookAgain(endpoint, snapshotOf(items, keys, settings), now)
  const sum = (kind: 'dayOk' | 'dayFailed'): number => sumWindow(bucketsOf(counters, kind), now, DAY_WINDOW)
  return {
    endpoint: endpoint.name,
    id: endpoint.id,
    provider: endpoint.provider,
    missing_key: missing,
    usable: !missing && barred === null,
    health: health?.state ?? 'healthy',
    since: health?.since ?? null,
    next_probe_at: health?.probe.dueAt ?? null,
    last_failure: health?.failure ?? null,
    breaker: breaker?.state ?? 'closed',
    trial_at: breaker ? trialAt(breaker, settings) : null,
    cooldowns: cooldownsOf(endpoint, sources),
    refuses: effectiveRefusals(endpoint, currentRefusals(refusals, now)),
    successes: sum('dayOk'),
    failures: sum('dayFailed'),
  }
}

/** Every endpoint with what the fleet remembers of it, in the order of the configuration. */
export function describeFleet(endpoints: readonly Endpoint[], sources: Sources): readonly EndpointRow[] {
  return endpoints.map(endpoint => rowOf(endpoint, sources))
}
