import { METRIC_NAMESPACE } from '../contract.ts'
import type { Log } from '../core/log-event.ts'
import { embedMetrics } from './embedded-metrics.ts'
import { metricsOfLine } from './metrics-of-line.ts'

export type MetricLogOptions = {
  /** The configured model aliases. */
  aliases: readonly string[]
  /** Takes one line of JSON. */
  write(text: string): void
  now(): number
  namespace?: string
}

/** A log for Lambda: one line of JSON for each structured line, from which CloudWatch takes the metrics too. */
export function createMetricLog(options: MetricLogOptions): Log {
  const { write, now, namespace = METRIC_NAMESPACE } = options
  const aliases = new Set(options.aliases)
  return given => {
    for (const { line, values } of metricsOfLine(given, aliases)) {
      write(`${JSON.stringify(values ? embedMetrics(line, values, { namespace, now: now() }) : line)}\n`)
    }
  }
}
