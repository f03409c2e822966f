import { Duration } from 'aws-cdk-lib'
import {
  CustomWidget,
  GraphWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { GatewayMetrics } from '../gateway-metrics.ts'

const COUNT = { min: 0, showUnits: false }
const THIRD = { width: 8, height: 6, leftYAxis: COUNT }

/** The live table of endpoints, drawn by its own function. */
export const endpointsWidget = (widget: IFunction): IWidget[] => [
  new CustomWidget({
    title: 'Endpoints, as the fleet sees them now',
    functionArn: widget.functionArn,
    width: 24,
    height: 9,
    updateOnRefresh: true,
    updateOnResize: false,
    updateOnTimeRangeChange: false,
  }),
]

/** What moves in the fleet's memory, and what should not. */
export function fleetWidgets(metrics: GatewayMetrics, probeLogs: ILogGroup): IWidget[][] {
  return [
    [
      new GraphWidget({
        ...THIRD,
        title: 'Health transitions by provider',
        left: [metrics.search('HealthTransitions', ['provider'])],
      }),
      new GraphWidget({
        ...THIRD,
        title: 'Breaker transitions by provider',
        left: [metrics.search('BreakerTransitions', ['provider'])],
      }),
      new GraphWidget({
        ...THIRD,
        title: 'Gateway problems',
        left: [
          metrics.metric('KeyRefused', { statistic: 'Maximum', label: 'provider keys refused' }),
          metrics.metric('StateErrors', { label: 'table not usable' }),
          metrics.metric('NetworkSuspect', { statistic: 'Maximum', label: 'network suspect' }),
          metrics.metric('Degraded', { statistic: 'Maximum', label: 'degraded' }),
        ],
      }),
    ],
    [
      new GraphWidget({
        ...THIRD,
        title: 'Probes by provider',
        left: [metrics.search('Probes', ['provider'])],
      }),
      new GraphWidget({
        ...THIRD,
        title: 'Tokens spent on probes',
        left: [metrics.search('ProbeTokens', ['provider'])],
      }),
      new LogQueryWidget({
        title: 'Probe results',
        width: 8,
        height: 6,
        view: LogQueryVisualizationType.TABLE,
        logGroupNames: [probeLogs.logGroupName],
        queryLines: [
          'filter event = "probe"',
          'stats count(*) as probes by endpoint, outcome',
          'sort probes desc',
        ],
      }),
    ],
  ]
}

/** Tokens a day, and dollars where the configuration has prices. */
export function costWidgets(metrics: GatewayMetrics, gatewayLogs: ILogGroup, hasPrices: boolean): IWidget[] {
  const day = { period: Duration.days(1) }
  const tokens = new GraphWidget({
    title: 'Tokens a day',
    width: hasPrices ? 12 : 24,
    height: 6,
    leftYAxis: COUNT,
    stacked: true,
    left: [
      metrics.metric('InputTokens', { ...day, label: 'in' }),
      metrics.metric('OutputTokens', { ...day, label: 'out' }),
    ],
    right: [metrics.metric('RetryTokens', { ...day, label: 'spent on retries' })],
    rightYAxis: COUNT,
  })
  if (!hasPrices) return [tokens]
  const dollars = new LogQueryWidget({
    title: 'Dollars a day, of answers whose endpoint has a price',
    width: 12,
    height: 6,
    view: LogQueryVisualizationType.BAR,
    logGroupNames: [gatewayLogs.logGroupName],
    queryLines: ['filter event = "request-completed"', 'stats sum(dollars) as dollars by bin(1d)'],
  })
  return [tokens, dollars]
}
