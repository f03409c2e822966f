import { byHandOf } from '../../../lambdas/core/health/health.ts'
import { endpointKey } from '../../../lambdas/core/item-keys.ts'
import { formatDuration } from '../../terminal/format-duration.ts'
import type { Endpoint } from '../../../lambdas/core/endpoint.ts'
import { itemAt } from '../../../lambdas/engine/memory/change-item.ts'
import type { MemoryTools } from '../../../lambdas/engine/memory/memory-tools.ts'
import type { CommandCall } from '../fleet/command-call.ts'
import type { ProbeLine } from '../../local-contract.ts'
import { formatSpan } from '../../../lambdas/core/format-span.ts'
import { type Paint, oneLine, printable } from '../../terminal/paint.ts'

/** What one probe found: `groq/llama ok 312 ms`, or the failure with its message. */
export function formatProbe({ endpoint, outcome, durationMs, message }: ProbeLine, paint: Paint): string {
  const verdict = paint(outcome === 'ok' ? 'green' : 'red', outcome)
  const said = message === null ? '' : `  ${oneLine(message)}`
  return `${printable(endpoint)}  ${verdict}  ${paint('dim', formatDuration(durationMs))}${said}`
}

type ProbeView = Pick<MemoryTools, 'settings' | 'endpoints' | 'clock'> & {
  view: Pick<MemoryTools['view'], 'known'>
}

/** Why a pass probed nothing. */
export function whyNoProbe(
  { view, settings, endpoints, clock }: ProbeView,
  endpoint: Endpoint | null,
  call: CommandCall,
): string {
  if (endpoint) return `${endpoint.name} was not probed: another probe of it is running. Try again in 45 s.`
  const { endpoint_health_disabled, endpoint_probes_disabled } = settings()
  if (endpoint_health_disabled) return 'Nothing is probed: endpoint_health_disabled is on.'
  if (endpoint_probes_disabled) return 'Nothing is probed: endpoint_probes_disabled is on.'
  const unhealthy = endpoints.flatMap(endpoint => {
    const health = itemAt(view.known(), 'endpoint', endpointKey(endpoint.id))?.health
    return health ? [{ endpoint, health }] : []
  })
  if (unhealthy.length === 0) return 'Nothing to probe: every endpoint is healthy.'
  const due = unhealthy.flatMap(({ endpoint: { probe }, health }) =>
    probe === false || byHandOf(health) !== undefined ? [] : health.probe.dueAt,
  )
  if (due.length === 0)
    return (
      'Nothing was probed: every endpoint that is not healthy has probe: false, or was quarantined by hand. ' +
      `${call('probe', unhealthy[0]?.endpoint.name ?? '')} probes that one all the same.`
    )
  const wait = Math.min(...due) - clock.now()
  return wait > 0
    ? `No probe is due; the next one is in ${formatSpan(wait)}. Use --force to probe now.`
    : 'Nothing was probed: the endpoints that are due are being probed already, or are cooling down.'
}
