import { GraphWidget, type IMetric, type IWidget, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'

const COUNT = { min: 0, showUnits: false }

/** What the widgets read of a table. */
export type MeteredTable = Pick<
  Table,
  'metric' | 'metricConsumedReadCapacityUnits' | 'metricConsumedWriteCapacityUnits'
>

/** What the fleet's table takes. */
export function tableWidgets(table: MeteredTable): IWidget[] {
  const sum = (label: string): MetricOptions => ({ statistic: 'Sum', label })
  const third = { width: 8, height: 6, leftYAxis: COUNT }
  return [
    new GraphWidget({
      ...third,
      title: 'DynamoDB: capacity consumed',
      left: [
        table.metricConsumedReadCapacityUnits(sum('reads')),
        table.metricConsumedWriteCapacityUnits(sum('writes')),
      ],
    }),
    new GraphWidget({
      ...third,
      title: 'DynamoDB: throttles',
      left: [
        table.metric('ReadThrottleEvents', sum('reads')),
        table.metric('WriteThrottleEvents', sum('writes')),
      ],
    }),
    new GraphWidget({
      ...third,
      title: 'DynamoDB: conditions that failed (another instance wrote first)',
      left: [table.metric('ConditionalCheckFailedRequests', sum('failed conditions'))],
    }),
  ]
}

/** How the functions run. */
export function functionWidgets(gateway: IFunction, probe: IFunction): IWidget[] {
  const quarter = { width: 6, height: 6, leftYAxis: COUNT }
  const both = (metricOf: (one: IFunction, label: string) => IMetric): IMetric[] => [
    metricOf(gateway, 'gateway'),
    metricOf(probe, 'probe'),
  ]
  return [
    new GraphWidget({
      ...quarter,
      title: 'Lambda: errors',
      left: [
        ...both((one, label) => one.metricErrors({ label })),
        gateway.metric('Url5xxCount', { statistic: 'Sum', label: 'answers of 500 and more' }),
      ],
    }),
    new GraphWidget({
      ...quarter,
      title: 'Lambda: duration, p99',
      left: both((one, label) => one.metricDuration({ label, statistic: 'p99' })),
      leftYAxis: { min: 0, label: 'ms', showUnits: false },
    }),
    new GraphWidget({
      ...quarter,
      title: 'Lambda: invocations at a time',
      left: both((one, label) => one.metric('ConcurrentExecutions', { label, statistic: 'Maximum' })),
    }),
    new GraphWidget({
      ...quarter,
      title: 'Lambda: throttles',
      left: both((one, label) => one.metricThrottles({ label })),
    }),
  ]
}
