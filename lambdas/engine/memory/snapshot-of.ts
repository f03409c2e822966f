import { trialAt } from '../../core/health/breaker.ts'
import type { Remembered } from '../../core/refusals.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { BreakerMark, CooldownMark, HealthMark, Snapshot } from '../../core/routing/snapshot.ts'
import type { StateItems } from './fleet-view.ts'

/** The table's items as the plan reads them. */
export function snapshotOf(items: StateItems, keys: Snapshot['keys'], settings: Settings): Snapshot {
  const health = new Map<string, HealthMark>()
  const breakers = new Map<string, BreakerMark>()
  const cooldowns = new Map<string, CooldownMark>()
  const refusals = new Map<string, readonly Remembered[]>()
  let degraded = false
  for (const item of items.values()) {
    const name = item.key.slice(item.key.indexOf('#') + 1)
    if (item.kind === 'endpoint' && !settings.endpoint_health_disabled) {
      const { state, since, probe } = item.health
      health.set(name, state === 'suspect' ? { state } : { state, since, nextProbeAt: probe.dueAt })
    } else if (item.kind === 'breaker') {
      const due = trialAt(item.breaker, settings)
      if (due !== null) breakers.set(name, { trialAt: due })
    } else if (item.kind === 'cooldown') {
      const { until, at, kind } = item.cooldown
      cooldowns.set(name, { until, at, kind })
    } else if (item.kind === 'capability') refusals.set(name, item.refusals)
    else if (item.kind === 'mode') degraded = item.mode.state === 'degraded'
  }
  return { keys, health, breakers, cooldowns, refusals, settings, degraded }
}
