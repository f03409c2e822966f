import { METRIC_NAMESPACE, type MetricLevel } from '../contract.ts'
import type { Log } from '../core/log-event.ts'
import { embedMetrics } from './embedded-metrics.ts'
import { createMetricSets } from './metric-sets.ts'
import { metricsOfLine } from './metrics-of-line.ts'

export type MetricLogOptions = {
  /** The first endpoint of each configured alias's chain. */
  chains: ReadonlyMap<string, string>
  /** Takes one line of JSON. */
  write(text: string): void
  now(): number
  /** How many sets of dimension values this instance may write. */
  mostSets(): number
  level?: MetricLevel | undefined
  namespace?: string
}

/** A log for Lambda: one line of JSON for each structured line, from which CloudWatch takes the metrics too. */
export function createMetricLog(options: MetricLogOptions): Log {
  const { chains, write, now, mostSets, level = 'all', namespace = METRIC_NAMESPACE } = options
  const sets = createMetricSets(level, mostSets)
  return given => {
    for (const { line, values } of metricsOfLine(given, chains)) {
      const lines = values ? embedMetrics(line, values, { namespace, now: now(), sets }) : [line]
      for (const written of lines) write(`${JSON.stringify(written)}\n`)
    }
  }
}
