import { Duration } from 'aws-cdk-lib'
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import {
  metricSets,
  type MetricDimension,
  type MetricLevel,
  type MetricName,
} from '../../lambdas/contract.ts'

export type MetricLook = {
  statistic?: string
  label?: string
  period?: Duration
  /** Values of the dimensions under which it is counted; none = the whole gateway. */
  dimensions?: { readonly [Name in MetricDimension]?: string }
}

export type SearchLook = Pick<MetricLook, 'statistic' | 'period'> & {
  /** Only so many of the largest, the largest first. */
  top?: number
}

const FIVE_MINUTES = Duration.minutes(5)

/** A set of dimensions that nobody writes would give an empty graph for ever. */
function assertWritten(level: MetricLevel, name: MetricName, set: readonly string[]): void {
  if (metricSets(name, level).some(written => written.join() === set.join())) return
  throw new Error(`No code writes ${name} under [${set.join(', ')}] where metrics are '${level}'.`)
}

/** Metrics of one stage. */
export type GatewayMetrics = {
  /** One of the gateway's own metrics. */
  metric(name: MetricName, look?: MetricLook): Metric
  /** One of them by the values of its dimensions, whatever they are; for dashboards only. */
  search(name: MetricName, dimensions: readonly MetricDimension[], look?: SearchLook): MathExpression
}

/** The gateway's own metrics, as they stand in the namespace of its stage. */
export function gatewayMetrics(namespace: string, level: MetricLevel): GatewayMetrics {
  // A dash would end the name.
  const searched = /^[\w/]+$/.test(namespace) ? namespace : `"${namespace}"`
  return {
    metric(name, { statistic = 'Sum', period = FIVE_MINUTES, label, dimensions = {} } = {}) {
      assertWritten(level, name, Object.keys(dimensions))
      return new Metric({
        namespace,
        metricName: name,
        statistic,
        period,
        dimensionsMap: { ...dimensions },
        ...(label !== undefined && { label }),
      })
    },
    search(name, dimensions, { statistic = 'Sum', period = FIVE_MINUTES, top } = {}) {
      assertWritten(level, name, dimensions)
      const schema = [searched, ...dimensions].join(',')
      const found = `SEARCH('{${schema}} MetricName="${name}"', '${statistic}', ${period.toSeconds()})`
      return new MathExpression({
        expression: top === undefined ? found : `SORT(${found}, SUM, DESC, ${top})`,
        label: dimensions.map(dimension => `\${PROP('Dim.${dimension}')}`).join(' '),
        period,
        usingMetrics: {},
      })
    },
  }
}
