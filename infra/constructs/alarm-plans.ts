import { Duration } from 'aws-cdk-lib'
import {
  ComparisonOperator,
  MathExpression,
  TreatMissingData,
  type AlarmProps,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { AlarmThresholds } from '../../lambdas/config/schema/alarm-thresholds.ts'
import { dimensionValue } from '../../lambdas/contract.ts'
import type { GatewayMetrics } from './gateway-metrics.ts'

/** One alarm: what it means in a sentence, the heading of the runbook that helps, and when it goes off. */
export type AlarmPlan = {
  id: string
  meaning: string
  heading: string
  when: Omit<AlarmProps, 'alarmDescription' | 'alarmName' | 'comparisonOperator'> & {
    /** By default it goes off at the threshold and above. */
    comparisonOperator?: ComparisonOperator
  }
  /** It tells that data has stopped to come: it goes off as INSUFFICIENT_DATA, and not before there was any. */
  ringsInSilence?: true
}

export type Watched = {
  level: 'all' | 'essential'
  thresholds: AlarmThresholds
  aliases: readonly string[]
  gateway: IFunction
  probe: IFunction
  /** Null where there is none. */
  canary: IFunction | null
  metrics: GatewayMetrics
}

const FEWEST_FOR_A_SHARE = 20

const FIVE_MINUTES = Duration.minutes(5)
const SILENCE_IS_FINE = { treatMissingData: TreatMissingData.NOT_BREACHING }
const AT_ONCE = { threshold: 1, evaluationPeriods: 1, ...SILENCE_IS_FINE }
const LASTING = { evaluationPeriods: 3, datapointsToAlarm: 2, ...SILENCE_IS_FINE }

/** About the requests themselves: what clients chose to let fail is in none of these metrics. */
function requestPlans({ metrics, thresholds }: Watched): AlarmPlan[] {
  const { failedRequests, errorShare } = thresholds
  const usingMetrics = {
    failed: metrics.metric('Failures'),
    answered: metrics.metric('Latency', { statistic: 'SampleCount' }),
  }
  const all = '(FILL(failed, 0) + FILL(answered, 0))'
  return [
    {
      id: 'NoSuccess',
      meaning: `In five minutes ${failedRequests} requests or more failed and none was answered.`,
      heading: 'No request succeeds',
      when: {
        metric: new MathExpression({
          expression: `IF(FILL(failed, 0) >= ${failedRequests} AND FILL(answered, 0) < 1, 1, 0)`,
          label: 'failures, and no success',
          period: FIVE_MINUTES,
          usingMetrics,
        }),
        ...AT_ONCE,
      },
    },
    {
      id: 'ErrorShare',
      meaning: `${errorShare} of 100 requests or more failed or were cut off, through no choice of their clients.`,
      heading: 'Many requests fail',
      when: {
        metric: new MathExpression({
          expression: `IF(${all} >= ${FEWEST_FOR_A_SHARE}, 100 * FILL(failed, 0) / ${all}, 0)`,
          label: 'failed of 100',
          period: FIVE_MINUTES,
          usingMetrics,
        }),
        threshold: errorShare,
        ...LASTING,
      },
    },
  ]
}

/** About what the gateway itself cannot tell: its log has no line of such a request. */
const platformPlans = ({ gateway, thresholds }: Watched): AlarmPlan[] => [
  {
    id: 'Crashes',
    meaning: 'The gateway function crashes, runs out of memory, or reaches its time limit.',
    heading: 'The gateway crashes',
    when: {
      metric: gateway.metricErrors({ period: FIVE_MINUTES }),
      threshold: thresholds.crashes,
      ...LASTING,
    },
  },
  {
    id: 'Throttles',
    meaning: 'The platform refuses requests with 429, because no more instances of the gateway may run.',
    heading: 'The platform refuses requests',
    when: {
      metric: gateway.metricThrottles({ period: FIVE_MINUTES }),
      threshold: thresholds.throttles,
      ...LASTING,
    },
  },
]

/** About what the chains cost. */
const costPlans = ({ metrics, thresholds }: Watched): AlarmPlan[] => [
  {
    id: 'RetryTokens',
    meaning: `Retries have cost ${thresholds.retryTokensADay / 1e6} million tokens or more within a day.`,
    heading: 'Retries cost a lot',
    when: {
      metric: metrics.metric('RetryTokens', { period: Duration.days(1) }),
      threshold: thresholds.retryTokensADay,
      evaluationPeriods: 1,
      ...SILENCE_IS_FINE,
    },
  },
]

/** One an alias: of what nothing answers, a person wants to know the name. */
const aliasPlans = ({ aliases, metrics }: Watched): AlarmPlan[] =>
  aliases.map(model => ({
    id: `AliasOut-${model}`,
    meaning: `No endpoint answered a request for the model '${model}' in five minutes.`,
    heading: 'No endpoint answers for a model',
    when: {
      metric: new MathExpression({
        expression: 'IF(FILL(out, 0) > 0 AND FILL(out, 0) >= FILL(asked, 0), 1, 0)',
        label: model,
        period: FIVE_MINUTES,
        usingMetrics: {
          out: metrics.metric('AliasOut', { dimensions: { model: dimensionValue(model) } }),
          asked: metrics.metric('Requests', { dimensions: { model: dimensionValue(model) } }),
        },
      }),
      ...AT_ONCE,
    },
  }))

/** About what a person must see to. */
const keyPlans = ({ metrics }: Watched): AlarmPlan[] => [
  {
    id: 'KeyRefused',
    meaning: 'A provider rejects the key that the secret holds for it.',
    heading: 'A provider key is refused',
    when: { metric: metrics.metric('KeyRefused', { statistic: 'Maximum' }), threshold: 1, ...LASTING },
  },
]

/** About the fleet's memory and its probes. */
function fleetPlans({ probe, metrics, thresholds }: Watched): AlarmPlan[] {
  return [
    {
      id: 'StateErrors',
      meaning: 'The state table could not be read or written repeatedly: requests continue without it.',
      heading: 'The state table fails',
      when: { metric: metrics.metric('StateErrors'), threshold: thresholds.stateErrors, ...LASTING },
    },
    {
      id: 'ProbeFailing',
      meaning: 'The probe function fails: quarantined endpoints stay quarantined.',
      heading: 'The probe fails',
      when: {
        metric: probe.metricErrors({ period: FIVE_MINUTES }),
        threshold: thresholds.probeErrors,
        ...LASTING,
      },
    },
    {
      id: 'ProbeNotRunning',
      meaning: 'The probe function has not run for fifteen minutes: quarantined endpoints stay quarantined.',
      heading: 'The probe does not run',
      ringsInSilence: true,
      when: {
        metric: probe.metricInvocations({ period: FIVE_MINUTES }),
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        threshold: 1,
        evaluationPeriods: 3,
        // A first deploy has no data yet: as a breach, that would be an alarm before the first run.
        treatMissingData: TreatMissingData.MISSING,
      },
    },
    {
      id: 'NetworkSuspect',
      meaning: 'Connections to several providers fail at once: the network of the gateway may be the cause.',
      heading: 'The gateway network may be down',
      when: { metric: metrics.metric('NetworkSuspect', { statistic: 'Maximum' }), threshold: 1, ...LASTING },
    },
    {
      id: 'Degraded',
      meaning: 'Fewer than half of the providers can be called.',
      heading: 'The fleet is degraded',
      when: { metric: metrics.metric('Degraded', { statistic: 'Maximum' }), ...AT_ONCE },
    },
  ]
}

/** About the whole way of a client, through the URL and back; whoever wants a canary wants to be told. */
const canaryPlans = ({ canary, thresholds }: Watched): AlarmPlan[] =>
  canary === null
    ? []
    : [
        {
          id: 'CanaryFailed',
          meaning: `${thresholds.canaryFailures} of the last three requests of the canary got no whole answer through the URL.`,
          heading: 'The canary fails',
          when: {
            metric: canary.metricErrors({ period: Duration.hours(1) }),
            threshold: 1,
            evaluationPeriods: 3,
            datapointsToAlarm: thresholds.canaryFailures,
            ...SILENCE_IS_FINE,
          },
        },
      ]

/** Every alarm of a gateway; the essential ones are as many for a hundred models as for one. */
export const alarmPlans = (watched: Watched): AlarmPlan[] => [
  ...requestPlans(watched),
  ...platformPlans(watched),
  ...keyPlans(watched),
  ...canaryPlans(watched),
  ...(watched.level === 'all' ? [...costPlans(watched), ...aliasPlans(watched), ...fleetPlans(watched)] : []),
]
