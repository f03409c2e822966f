import type { Endpoint } from '../../core/endpoint.ts'
import { healthAfter, type Health, type HealthEvent } from '../../core/health/health.ts'
import { endpointKey } from '../../core/item-keys.ts'
import type { EndpointItem } from '../../store/state-item.ts'
import { changeItem, foreseeItem, type Decision } from './change-item.ts'
import type { MemoryTools } from './memory-tools.ts'

const HEALTHY: Health = { state: 'healthy' }
const HOUR = 3_600_000

/** Without a TTL on a quarantine: only evidence may end it. */
function expiryOf(health: Health, windowMs: number, now: number): number | null {
  return health.state === 'quarantined' ? null : Math.ceil((now + windowMs + HOUR) / 1_000)
}

/** Only its own probe's result ends a lease: whatever a request finds out meanwhile lets no second probe in. */
const isProbeResult = (event: HealthEvent): boolean =>
  event.kind === 'probe_failed' ||
  event.kind === 'probe_undecided' ||
  ('via' in event && (event.via === 'probe' || event.via === 'operator'))

const isSame = (one: Health, other: Health): boolean => JSON.stringify(one) === JSON.stringify(other)

function decideOn(tools: MemoryTools, event: HealthEvent, random: number) {
  const { settings, clock } = tools
  return (item: EndpointItem | null): Decision<'endpoint'> => {
    const before = item?.health ?? HEALTHY
    const health = healthAfter(before, event, settings(), random)
    if (isSame(before, health)) return 'keep'
    if (health.state === 'healthy') return null
    const expiresAt = expiryOf(health, settings().endpoint_window_ms, clock.now())
    return { health, leaseUntil: isProbeResult(event) ? 0 : (item?.leaseUntil ?? 0), expiresAt }
  }
}

/** What an event makes of an endpoint's health for this instance, at once, whether the table can be written or not. */
export function foreseeHealth(tools: MemoryTools, { id }: Pick<Endpoint, 'id'>, event: HealthEvent): void {
  foreseeItem(tools, 'endpoint', endpointKey(id), decideOn(tools, event, tools.clock.random()))
}

/** Applies one event to an endpoint's health in the table, and logs where that changes its state. */
export async function changeHealth(
  tools: MemoryTools,
  endpoint: Pick<Endpoint, 'id' | 'provider'>,
  event: HealthEvent,
): Promise<void> {
  const { clock, log } = tools
  const decide = decideOn(tools, event, clock.random())
  const change = await changeItem(tools, 'endpoint', endpointKey(endpoint.id), decide)
  if (!change) return
  const [from, to] = [stateOf(change.before), stateOf(change.after)]
  if (from !== to) {
    const { id, provider } = endpoint
    log({ event: 'health-transition', endpoint: id, provider, from, to, because: event.kind })
  }
}

const stateOf = (item: EndpointItem | null): Health['state'] => item?.health.state ?? 'healthy'
