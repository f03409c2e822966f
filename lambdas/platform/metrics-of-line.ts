import { dimensionValue } from '../contract.ts'
import type { LogEvent } from '../core/log-event.ts'
import type { RequestCompleted } from '../core/request-completed.ts'
import { completedMetrics, type Chains, type MeteredLine } from './completed-metrics.ts'
import type { MetricValues } from './embedded-metrics.ts'

const plain = (metrics: MetricValues['metrics']): MetricValues => ({ metrics, dimensions: {} })

const ofProvider = (provider: string, metrics: MetricValues['metrics']): MetricValues => ({
  metrics,
  dimensions: { provider: dimensionValue(provider) },
})

function valuesOf(line: Exclude<LogEvent, RequestCompleted>): MetricValues | null {
  switch (line.event) {
    case 'request-rejected':
      // Anybody can send requests without a key: they must not be able to write metrics.
      if (line.code === 'invalid_api_key') return null
      return plain({ Rejected: 1, ...(line.code === 'keys_unavailable' && { Failures: 1 }) })
    case 'internal-error':
      return line.begun ? null : plain({ Failures: 1 })
    case 'health-transition':
      return ofProvider(line.provider, { HealthTransitions: 1 })
    case 'breaker-transition':
      return ofProvider(line.provider, { BreakerTransitions: 1 })
    case 'probe':
      return ofProvider(line.provider, { Probes: 1, ProbeTokens: line.tokens })
    case 'network-suspect':
      return plain({ NetworkSuspect: line.evidence })
    case 'mode-transition':
      return line.to === 'degraded' ? null : plain({ Degraded: 0 })
    case 'degraded':
      return plain({ Degraded: 1 })
    case 'key-refused':
      return plain({ KeyRefused: line.keys })
    case 'state-error':
      return plain({ StateErrors: 1 })
    default:
      return null
  }
}

/**
 * What is written for one structured line of the gateway, with the metrics that it carries. Pure.
 * @param chains of the configured aliases: what else clients ask for must not become a dimension's value.
 */
export function metricsOfLine(line: LogEvent, chains: Chains): MeteredLine[] {
  if (line.event === 'request-completed') return completedMetrics(line, chains)
  return [{ line, values: valuesOf(line) }]
}
