import { Duration } from 'aws-cdk-lib'
import { GraphWidget, GraphWidgetView, MathExpression, type IWidget } from 'aws-cdk-lib/aws-cloudwatch'
import type { GatewayMetrics } from '../gateway-metrics.ts'

const COUNT = { min: 0, showUnits: false }
const MILLISECONDS = { min: 0, label: 'ms', showUnits: false }
const PERCENT = { min: 0, max: 100, label: '%', showUnits: false }
const PERCENTILES = ['p50', 'p90', 'p99']

function percentiles(
  metrics: GatewayMetrics,
  title: string,
  name: 'Latency' | 'TimeToFirstToken' | 'GatewayOverhead',
): GraphWidget {
  const left = PERCENTILES.map(statistic => metrics.metric(name, { statistic, label: statistic }))
  return new GraphWidget({ title, width: 6, height: 6, left, leftYAxis: MILLISECONDS })
}

const THIRD = { width: 8, height: 6, leftYAxis: COUNT }

/** The same of few metrics. */
export function essentialWidgets(metrics: GatewayMetrics): IWidget[][] {
  const half = { width: 12, height: 6, leftYAxis: MILLISECONDS }
  const latencies = (name: 'Latency' | 'TimeToFirstToken') =>
    PERCENTILES.map(statistic => metrics.metric(name, { statistic, label: statistic }))
  return [
    [
      new GraphWidget({
        ...THIRD,
        title: 'Requests',
        left: [
          metrics.metric('Requests', { label: 'asked' }),
          metrics.metric('Latency', { statistic: 'SampleCount', label: 'answered whole' }),
        ],
      }),
      new GraphWidget({
        ...THIRD,
        title: 'Failures',
        left: [
          metrics.metric('Failures', { label: 'failed requests' }),
          metrics.metric('KeyRefused', { statistic: 'Maximum', label: 'provider keys refused' }),
        ],
      }),
      new GraphWidget({
        ...THIRD,
        title: 'Fallbacks by alias',
        left: [metrics.search('Fallbacks', ['model'])],
      }),
    ],
    [
      new GraphWidget({
        ...half,
        title: 'Time to first token, streams',
        left: latencies('TimeToFirstToken'),
      }),
      new GraphWidget({ ...half, title: 'Whole answers', left: latencies('Latency') }),
    ],
  ]
}

/** What clients asked for, and what they got. */
export function trafficWidgets(metrics: GatewayMetrics): IWidget[][] {
  const requests = metrics.metric('Requests', { label: 'asked' })
  const answered = metrics.metric('Latency', { statistic: 'SampleCount', label: 'answered whole' })
  const success = new MathExpression({
    expression: '100 * FILL(answered, 0) / requests',
    label: 'answered whole',
    usingMetrics: { answered, requests },
  })
  return [
    [
      new GraphWidget({
        ...THIRD,
        title: 'Requests',
        left: [
          requests,
          answered,
          metrics.metric('Failures', { label: 'failed, not by their own fault' }),
          metrics.metric('Rejected', { label: 'rejected before routing' }),
        ],
      }),
      new GraphWidget({ ...THIRD, title: 'Success', left: [success], leftYAxis: PERCENT }),
      new GraphWidget({
        ...THIRD,
        title: 'Aliases that nothing could answer',
        left: [metrics.search('AliasOut', ['model'])],
      }),
    ],
    [
      percentiles(metrics, 'Time to first token, streams', 'TimeToFirstToken'),
      new GraphWidget({
        title: 'Time to first token by alias, p90',
        width: 6,
        height: 6,
        left: [metrics.search('TimeToFirstToken', ['model'], { statistic: 'p90' })],
        leftYAxis: MILLISECONDS,
      }),
      percentiles(metrics, 'Whole answers', 'Latency'),
      percentiles(metrics, 'Overhead: our own time', 'GatewayOverhead'),
    ],
    [
      new GraphWidget({
        ...THIRD,
        title: 'Requests by alias',
        left: [metrics.search('Requests', ['model'])],
      }),
      new GraphWidget({
        ...THIRD,
        title: 'Fallbacks by alias',
        left: [metrics.search('Fallbacks', ['model'])],
      }),
      new GraphWidget({
        ...THIRD,
        title: 'Broken streams',
        left: [
          metrics.metric('StreamsCut', { label: 'cut after their first token' }),
          metrics.metric('MalformedEvents', { label: 'events skipped' }),
        ],
      }),
    ],
  ]
}

/** Where requests went instead, and why. */
export function fallbackWidgets(metrics: GatewayMetrics): IWidget[][] {
  const half = { width: 12, leftYAxis: COUNT }
  const wholeRange = { period: Duration.hours(1), top: 20 }
  return [
    [
      new GraphWidget({
        ...half,
        height: 8,
        title: 'Fallback paths, most travelled first',
        view: GraphWidgetView.BAR,
        setPeriodToTimeRange: true,
        left: [metrics.search('Fallbacks', ['fallback_chain'], wholeRange)],
      }),
      new GraphWidget({
        ...half,
        height: 8,
        title: 'Fallback paths over time',
        stacked: true,
        left: [metrics.search('Fallbacks', ['fallback_chain'], { top: 10 })],
      }),
    ],
    [
      new GraphWidget({
        width: 8,
        height: 7,
        leftYAxis: COUNT,
        title: 'Attempts by provider',
        left: [metrics.search('Attempts', ['provider'])],
      }),
      new GraphWidget({
        width: 8,
        height: 7,
        leftYAxis: COUNT,
        title: 'Failed attempts by provider',
        left: [metrics.search('AttemptFailures', ['provider'])],
      }),
      new GraphWidget({
        width: 8,
        height: 7,
        leftYAxis: COUNT,
        title: 'Failed attempts by provider and kind',
        left: [metrics.search('AttemptFailures', ['provider', 'kind'], { top: 20 })],
      }),
    ],
  ]
}
