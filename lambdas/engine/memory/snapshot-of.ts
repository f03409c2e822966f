import type { Remembered } from '../../core/refusals/refusals.ts'
import type { BreakerScope } from '../../core/health/breaker-scope.ts'
import { boundedBreaker, currentBreaker } from '../../core/health/breaker.ts'
import { byHandOf, onDemandAt } from '../../core/health/health.ts'
import { longestBar } from '../../core/health/limit.ts'
import { scopeOf, subjectOf } from '../../core/item-keys.ts'
import type { BreakerMark, HealthMark, Snapshot } from '../../core/routing/snapshot.ts'
import type { StateItems } from './fleet-view.ts'
import type { MemoryTools } from './memory-tools.ts'

type Sources = Pick<Snapshot, 'keys' | 'settings' | 'figures'> & {
  quotas?: Snapshot['quotas']
  cuts?: Snapshot['cuts']
  now: number
}

const NO_CUTS: Snapshot['cuts'] = new Map()
const NO_QUOTAS: Snapshot['quotas'] = new Map()
/** What a fleet remembers of which nothing has failed. */
const NOTHING: Pick<Snapshot, 'health' | 'breakers' | 'refusals' | 'failing' | 'degraded'> = {
  health: new Map(),
  breakers: new Map(),
  failing: new Set(),
  refusals: new Map(),
  degraded: false,
}

/** The table's items as the plan reads them. */
export function snapshotOf(
  items: StateItems,
  { keys, quotas = NO_QUOTAS, settings, figures, cuts = NO_CUTS, now }: Sources,
): Snapshot {
  if (items.size === 0) return { keys, quotas, settings, figures, cuts, ...NOTHING }
  const { endpoint_health_disabled, endpoint_on_demand_daily_max } = settings
  const health = new Map<string, HealthMark>()
  const breakers = new Map<BreakerScope, BreakerMark>()
  const refusals = new Map<string, readonly Remembered[]>()
  const failing = new Set<string>()
  let degraded = false
  for (const item of items.values()) {
    if (item.kind === 'endpoint' && !endpoint_health_disabled) {
      const { state, since, probe, cause } = item.health
      const nextOnDemandAt = onDemandAt(item.health, endpoint_on_demand_daily_max, now)
      const byHand = byHandOf(item.health)
      const mark = { since, cause, nextProbeAt: probe.dueAt, nextOnDemandAt }
      const ordered = byHand === undefined ? {} : { byHand }
      health.set(subjectOf(item.key), state === 'suspect' ? { state, cause } : { state, ...mark, ...ordered })
    } else if (item.kind === 'breaker') {
      const scope = scopeOf(item.key)
      const breaker = currentBreaker(boundedBreaker(item.breaker, longestBar(scope), now), now)
      if (breaker.state !== 'closed') breakers.set(scope, { breaker, causes: item.causes })
      if (item.failuresUntil > now) failing.add(subjectOf(scope))
    } else if (item.kind === 'capability') refusals.set(subjectOf(item.key), item.refusals)
    else if (item.kind === 'mode') degraded = item.mode.state === 'degraded'
  }
  return { keys, health, breakers, failing, refusals, quotas, settings, figures, cuts, degraded }
}

/** What the plan would read now, without waiting. */
export const knownSnapshot = ({ view, keys, settings, figures, clock }: MemoryTools): Snapshot =>
  snapshotOf(view.known(), {
    keys: keys(),
    settings: settings(),
    figures: figures.known,
    now: clock.now(),
  })
