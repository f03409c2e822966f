import { Duration } from 'aws-cdk-lib'
import { MathExpression, TreatMissingData, type AlarmProps } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { dimensionValue } from '../../lambdas/contract.ts'
import type { GatewayMetrics } from './gateway-metrics.ts'

/** One alarm: what it means in a sentence, the heading of the runbook that helps, and when it goes off. */
export type AlarmPlan = {
  id: string
  meaning: string
  heading: string
  when: Omit<AlarmProps, 'alarmDescription' | 'alarmName' | 'comparisonOperator'>
}

export type Watched = {
  aliases: readonly string[]
  gateway: IFunction
  probe: IFunction
  metrics: GatewayMetrics
}

const FEWEST_REQUESTS = 4
const FEWEST_FOR_A_SHARE = 20
const HIGHEST_ERROR_SHARE = 10
const MOST_RETRY_TOKENS_A_DAY = 10_000_000

const FIVE_MINUTES = Duration.minutes(5)
const SILENCE_IS_FINE = { treatMissingData: TreatMissingData.NOT_BREACHING }
const AT_ONCE = { threshold: 1, evaluationPeriods: 1, ...SILENCE_IS_FINE }
const LASTING = { evaluationPeriods: 3, datapointsToAlarm: 2, ...SILENCE_IS_FINE }

/** About the requests themselves. */
function requestPlans({ gateway, metrics }: Watched): AlarmPlan[] {
  const requests = metrics.metric('Requests')
  const answered = metrics.metric('Latency', { statistic: 'SampleCount' })
  const cut = metrics.metric('StreamsCut')
  // The platform's count: it holds what the gateway could not log any more.
  const errors = gateway.metric('Url5xxCount', { statistic: 'Sum', period: FIVE_MINUTES })
  // Most errors are requests as well: added up, they would count twice.
  const enough = (id: string): string => `FILL(${id}, 0) >= ${FEWEST_REQUESTS}`
  return [
    {
      id: 'NoSuccess',
      meaning: 'Requests came in for five minutes and none was answered.',
      heading: 'No request succeeds',
      when: {
        metric: new MathExpression({
          expression: `IF((${enough('requests')} OR ${enough('errors')}) AND FILL(answered, 0) < 1, 1, 0)`,
          label: 'requests, and no success',
          period: FIVE_MINUTES,
          usingMetrics: { requests, errors, answered },
        }),
        ...AT_ONCE,
      },
    },
    {
      id: 'ErrorShare',
      meaning: `More than ${HIGHEST_ERROR_SHARE} of 100 requests failed with a 5xx status or were cut off.`,
      heading: 'Many requests fail',
      when: {
        metric: new MathExpression({
          expression: `IF(FILL(requests, 0) >= ${FEWEST_FOR_A_SHARE}, 100 * (FILL(errors, 0) + FILL(cut, 0)) / requests, 0)`,
          label: 'failed of 100',
          period: FIVE_MINUTES,
          usingMetrics: { requests, errors, cut },
        }),
        threshold: HIGHEST_ERROR_SHARE,
        ...LASTING,
      },
    },
  ]
}

/** About what the chains cost. */
const costPlans = ({ metrics }: Watched): AlarmPlan[] => [
  {
    id: 'RetryTokens',
    meaning: `Retries have cost ${MOST_RETRY_TOKENS_A_DAY / 1e6} million tokens or more within a day.`,
    heading: 'Retries cost a lot',
    when: {
      metric: metrics.metric('RetryTokens', { period: Duration.days(1) }),
      threshold: MOST_RETRY_TOKENS_A_DAY,
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

/** About the fleet's memory, its probes, and what a person must see to. */
function fleetPlans({ probe, metrics }: Watched): AlarmPlan[] {
  return [
    {
      id: 'StateErrors',
      meaning: 'The state table could not be read or written repeatedly: requests continue without it.',
      heading: 'The state table fails',
      when: { metric: metrics.metric('StateErrors'), threshold: 5, ...LASTING },
    },
    {
      id: 'ProbeFailing',
      meaning: 'The probe function fails: quarantined endpoints stay quarantined.',
      heading: 'The probe fails',
      when: { metric: probe.metricErrors({ period: FIVE_MINUTES }), threshold: 2, ...LASTING },
    },
    {
      id: 'ProbeNotRunning',
      meaning: 'The probe function has not run for ten minutes: quarantined endpoints stay quarantined.',
      heading: 'The probe does not run',
      when: {
        metric: new MathExpression({
          expression: 'IF(FILL(runs, 0) < 1, 1, 0)',
          label: 'minutes without a run',
          period: FIVE_MINUTES,
          usingMetrics: { runs: probe.metricInvocations({ period: FIVE_MINUTES }) },
        }),
        threshold: 1,
        evaluationPeriods: 2,
        treatMissingData: TreatMissingData.BREACHING,
      },
    },
    {
      id: 'KeyRefused',
      meaning: 'A provider rejects the key that the secret holds for it.',
      heading: 'A provider key is refused',
      when: { metric: metrics.metric('KeyRefused'), ...AT_ONCE },
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

/** Every alarm of a gateway. */
export const alarmPlans = (watched: Watched): AlarmPlan[] => [
  ...requestPlans(watched),
  ...costPlans(watched),
  ...aliasPlans(watched),
  ...fleetPlans(watched),
]
