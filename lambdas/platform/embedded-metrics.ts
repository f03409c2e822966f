import { METRICS, type MetricDimension, type MetricName } from '../contract.ts'

/** What one line reports: values of metrics, and of the dimensions that they can be counted under. */
export type MetricValues = {
  metrics: { readonly [Name in MetricName]?: number }
  dimensions: { readonly [Name in MetricDimension]?: string }
}

type Directive = {
  Namespace: string
  Dimensions: readonly (readonly MetricDimension[])[]
  Metrics: { Name: string; Unit: string }[]
}

const isMetricName = (name: string): name is MetricName => Object.hasOwn(METRICS, name)

/**
 * A line that CloudWatch turns into metrics as it takes it in. Each metric is counted under those of its sets of
 * dimensions that have values here; one without any is left out, because it would be counted under no set at all.
 */
export function embedMetrics(
  line: object,
  { metrics, dimensions }: MetricValues,
  { namespace, now }: { namespace: string; now: number },
): object {
  const directives = new Map<string, Directive>()
  const values: Record<string, number> = {}
  for (const [key, value] of Object.entries(metrics)) {
    if (!isMetricName(key)) continue
    const { unit, dimensions: sets } = METRICS[key]
    const filled: readonly (readonly MetricDimension[])[] = sets
    const Dimensions = filled.filter(set => set.every(name => dimensions[name]))
    if (Dimensions.length === 0) continue
    values[key] = value
    const shape = JSON.stringify(Dimensions)
    const directive = directives.get(shape) ?? { Namespace: namespace, Dimensions, Metrics: [] }
    directive.Metrics.push({ Name: key, Unit: unit })
    directives.set(shape, directive)
  }
  if (directives.size === 0) return line
  const _aws = { Timestamp: now, CloudWatchMetrics: [...directives.values()] }
  return { ...line, ...dimensions, ...values, _aws }
}
