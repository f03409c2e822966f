import type { Endpoint } from '../../core/endpoint.ts'
import { countOf, onDemandAt } from '../../core/health/health.ts'
import { isProbed } from '../../core/health/is-probed.ts'
import { endpointKey } from '../../core/item-keys.ts'
import type { EndpointItem } from '../../store/state-item.ts'
import { changeItem, foreseeItem, itemAt, type Decision } from '../memory/change-item.ts'
import { probeEndpoint, reportProbe, type ProbeTools } from './probe-endpoint.ts'

/** What a request learns that waited for a probe. */
export type ProbeVerdict =
  | 'well'
  | 'unwell'
  /** Somebody else has had it probed just now, or its probes of the day are spent. */
  | 'not-due'

/** Has an endpoint probed that a request has nothing but. */
export type ProbeNow = (
  endpoint: Endpoint,
  call: { signal: AbortSignal; limitMs: number },
) => Promise<ProbeVerdict>

const CLAIM_MS = 300

function withTurn(
  item: EndpointItem,
  at: number,
  onDemand: EndpointItem['health']['probe']['onDemand'],
): Decision<'endpoint'> {
  const { health, leaseUntil, expiresAt } = item
  return {
    health: { ...health, probe: { ...health.probe, onDemand: { ...onDemand, at } } },
    leaseUntil,
    expiresAt,
  }
}

/**
 * Claims the probe that a request may have sent, once in five seconds in the whole fleet. Where the table does not
 * answer in time, this process bounds itself.
 */
async function claim(tools: ProbeTools, endpoint: Endpoint): Promise<boolean> {
  const { clock, settings, stateError } = tools
  const key = endpointKey(endpoint.id)
  const at = clock.now()
  let won = false
  const decide = (item: EndpointItem | null): Decision<'endpoint'> => {
    const due = item && onDemandAt(item.health, settings().endpoint_on_demand_daily_max, at)
    won = due !== null && due <= at
    return item && won ? withTurn(item, at, { ...countOf(item.health.probe.onDemand, at), at }) : 'keep'
  }
  decide(itemAt(tools.view.known(), 'endpoint', key))
  if (!won) return false
  const answered = new AbortController()
  const claiming = async (): Promise<void> => {
    try {
      const change = await changeItem(tools, 'endpoint', key, decide)
      won = change !== null
    } catch (error) {
      stateError(error)
      foreseeItem(tools, 'endpoint', key, decide)
    }
    answered.abort()
  }
  void claiming()
  await clock.sleep(CLAIM_MS, answered.signal)
  return won
}

/** Whoever left cannot tell what came of it: the next request need not wait. */
async function release(tools: ProbeTools, endpoint: Endpoint, at: number): Promise<void> {
  await changeItem(tools, 'endpoint', endpointKey(endpoint.id), item =>
    item?.health.probe.onDemand.at === at ? withTurn(item, 0, item.health.probe.onDemand) : 'keep',
  )
}

/**
 * Probes a quarantined endpoint because a request has nothing else left, and lets it wait for what comes back: no user's
 * request ever tests such an endpoint itself, and none is refused for long once it has recovered. Never rejects.
 */
export async function probeOnDemand(
  tools: ProbeTools,
  endpoint: Endpoint,
  { signal, limitMs }: { signal: AbortSignal; limitMs: number },
): Promise<ProbeVerdict> {
  const settings = tools.settings()
  if (settings.endpoint_health_disabled || !isProbed(endpoint, settings)) return 'not-due'
  const at = tools.clock.now()
  try {
    if (!(await claim(tools, endpoint))) return 'not-due'
    const sent = await probeEndpoint(tools, endpoint, { insistent: false, onDemand: true, signal, limitMs })
    if (signal.aborted) {
      await release(tools, endpoint, at)
      return 'unwell'
    }
    if (!sent) return 'not-due'
    reportProbe(tools, sent.result)
    return sent.failure ? 'unwell' : 'well'
  } catch (error) {
    tools.stateError(error)
    return 'unwell'
  }
}
