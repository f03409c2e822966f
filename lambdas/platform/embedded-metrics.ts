import { METRICS, metricSets, type MetricDimension, type MetricName } from '../contract.ts'
import { METRIC_NAMES, OTHER, valuesOf, type MetricSets } from './metric-sets.ts'

/** What one line reports: values of metrics, and of the dimensions that they can be counted under. */
export type MetricValues = {
  metrics: { readonly [Name in MetricName]?: number }
  dimensions: { readonly [Name in MetricDimension]?: string }
}

type MetricSet = readonly MetricDimension[]
type Directive = { Namespace: string; Dimensions: readonly MetricSet[]; Metrics: object[] }

export type EmbedOptions = { namespace: string; now: number; sets: MetricSets }

/** Collects what one line counts: one directive for all metrics that have the same sets. */
function createDirectives({ namespace, now }: EmbedOptions) {
  const byShape = new Map<string, Directive>()
  const values: Record<string, number> = {}
  return {
    add(name: MetricName, value: number, Dimensions: readonly MetricSet[]): void {
      if (Dimensions.length === 0) return
      values[name] = value
      const shape = JSON.stringify(Dimensions)
      const directive = byShape.get(shape) ?? { Namespace: namespace, Dimensions, Metrics: [] }
      directive.Metrics.push({ Name: name, Unit: METRICS[name].unit })
      byShape.set(shape, directive)
    },
    on(line: object, dimensions: MetricValues['dimensions']): object | null {
      if (byShape.size === 0) return null
      const _aws = { Timestamp: now, CloudWatchMetrics: [...byShape.values()] }
      return { ...line, ...dimensions, ...values, _aws }
    },
  }
}

const asOther = (dimensions: MetricValues['dimensions']): MetricValues['dimensions'] =>
  Object.fromEntries(Object.keys(dimensions).map(name => [name, OTHER]))

/**
 * A line that CloudWatch turns into metrics as it takes it in. Each metric is counted under those of its sets of
 * dimensions that have values here; one without any is left out, because it would be counted under no set at all.
 * Sets beyond the limit of an instance count under `other`, on a line of their own: a line has one value a dimension.
 */
export function embedMetrics(
  line: object,
  { metrics, dimensions }: MetricValues,
  options: EmbedOptions,
): object[] {
  const { sets } = options
  const own = createDirectives(options)
  const rest = createDirectives(options)
  for (const name of METRIC_NAMES) {
    const value = metrics[name]
    if (value === undefined) continue
    const beyond: MetricSet[] = []
    const admitted = metricSets(name, sets.level).filter(set => {
      const values = valuesOf(set, dimensions)
      if (values === null) return false
      if (values.length === 0 || sets.admits(name, values)) return true
      beyond.push(set)
      return false
    })
    own.add(name, value, admitted)
    rest.add(name, value, beyond)
  }
  const further = rest.on({ event: 'metrics-beyond-limit' }, asOther(dimensions))
  return [own.on(line, dimensions) ?? line, ...(further ? [further] : [])]
}
