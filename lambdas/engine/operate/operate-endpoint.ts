import { namesOf } from '../../core/health/counter-names.ts'
import { providerScope, type BreakerScope } from '../../core/health/breaker-scope.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import type { Health } from '../../core/health/health.ts'
import { breakerKey, endpointKey } from '../../core/item-keys.ts'
import { barringLimits } from '../memory/barring-limits.ts'
import { changeBreaker } from '../memory/change-breaker.ts'
import { forgetRefusals } from '../memory/change-capability.ts'
import { changeHealth } from '../memory/change-health.ts'
import { changeItem, itemAt } from '../memory/change-item.ts'
import type { MemoryTools } from '../memory/memory-tools.ts'

/** What an operator's release undid. */
export type Release = {
  /** The state that the endpoint was in. */
  from: Health['state']
  /** How many cooldowns and benches were lifted. */
  cooldowns: number
}

const DAY_MS = 86_400_000

/** How an endpoint's health is known to be; healthy where nothing is remembered. */
export function healthOf({ view }: MemoryTools, { id }: Endpoint): Health {
  return itemAt(view.known(), 'endpoint', endpointKey(id))?.health ?? { state: 'healthy' }
}

/** Whatever the buckets are called: their width follows a setting that an operator may have changed meanwhile. */
async function forgetFailures({ store, clock }: MemoryTools, { id }: Endpoint): Promise<void> {
  const [counters = {}] = await store.readCounts([endpointKey(id)])
  const counted = namesOf(counters, ['evidence', 'bench'])
  if (counted.length > 0) await store.addCounts(endpointKey(id), {}, counted, clock.now() + 8 * DAY_MS)
}

async function lift(tools: MemoryTools, scope: BreakerScope): Promise<boolean> {
  return (await changeItem(tools, 'breaker', breakerKey(scope), () => null)) !== null
}

/**
 * Lets an endpoint back in at once, as an operator may: healthy, without evidence against it, and with every cooldown
 * lifted that bars it, those of its provider and its keys included, and what it refused forgotten. Rejects with
 * `StoreError`.
 */
export async function releaseEndpoint(tools: MemoryTools, endpoint: Endpoint): Promise<Release> {
  const { state: from } = healthOf(tools, endpoint)
  // The evidence first: with it, the next failure would send a healthy endpoint straight back.
  await forgetFailures(tools, endpoint)
  await changeHealth(tools, endpoint, { kind: 'release' })
  await forgetRefusals(tools, endpoint)
  const lifted = await Promise.all(
    barringLimits(tools.view.known(), endpoint).map(scope => lift(tools, scope)),
  )
  return { from, cooldowns: lifted.filter(Boolean).length }
}

/** Bars an endpoint until it is released, or a probe succeeds that was ordered too. Rejects with `StoreError`. */
export async function quarantineEndpoint(
  tools: MemoryTools,
  endpoint: Endpoint,
  reason: string,
): Promise<Health> {
  const at = tools.clock.now()
  // An item has a cause; of a quarantine by hand nobody is told.
  await changeHealth(tools, endpoint, { kind: 'quarantine', cause: 'model_unavailable', byHand: reason, at })
  return healthOf(tools, endpoint)
}

/** Closes a provider's breaker, which lifts the benches of its endpoints. False = it was closed already. */
export async function closeBreaker(tools: MemoryTools, provider: string): Promise<boolean> {
  const scope = providerScope(provider)
  const known = itemAt(tools.view.known(), 'breaker', breakerKey(scope))
  if (!known || known.breaker.state === 'closed') return false
  await changeBreaker(tools, scope, { kind: 'lifted', stated: true })
  return true
}
