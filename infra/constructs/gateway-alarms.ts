import { Aws, Stack, Token } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import { alarmOptions } from './alarm-options.ts'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { alarmPlans } from './alarm-plans.ts'
import { gatewayMetrics } from './gateway-metrics.ts'

export type GatewayAlarmsProps = {
  config: GatewayConfig
  gateway: IFunction
  probe: IFunction
  /** Null where there is none. */
  canary: IFunction | null
  metricNamespace: string
}

const { GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = ComparisonOperator

/** The alarms of a gateway, and the topic that tells of them; each names the heading of the runbook that helps. */
export class GatewayAlarms extends Construct {
  /** Null where there are no alarms. */
  readonly topic: ITopic | null

  constructor(scope: Construct, id: string, props: GatewayAlarmsProps) {
    super(scope, id)
    const { config, gateway, probe, canary, metricNamespace } = props
    const { metrics: metricLevel = 'all', alarmTopicArn, alarmEmail } = config.deploy ?? {}
    const { level, thresholds } = alarmOptions(config.deploy ?? {})
    if (level === 'none') {
      this.topic = null
      return
    }
    const topic = alarmTopicArn === undefined ? this.#createTopic() : this.#findTopic(alarmTopicArn)
    this.topic = topic
    if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail))
    const action = new SnsAction(topic)
    const aliases = Object.keys(config.models)
    const metrics = gatewayMetrics(metricNamespace, metricLevel)
    for (const plan of alarmPlans({ level, thresholds, aliases, gateway, probe, canary, metrics })) {
      const alarm = new Alarm(this, plan.id, {
        comparisonOperator: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        ...plan.when,
        alarmDescription: `${plan.meaning} See infra/RUNBOOK.md, "${plan.heading}".`,
      })
      alarm.addAlarmAction(action)
      alarm.addOkAction(action)
      if (plan.ringsInSilence) alarm.addInsufficientDataAction(action)
    }
  }

  #findTopic(arn: string): ITopic {
    const { region } = Stack.of(this)
    const topic = Topic.fromTopicArn(this, 'Topic', arn)
    const { region: where } = topic.env
    if (!Token.isUnresolved(region) && where !== region)
      throw new Error(
        `deploy.alarmTopicArn: the topic is in ${where}, and this stack is in ${region}. ` +
          'CloudWatch publishes to topics of its own region only: create a topic there, or set deploy.alarmEmail instead.',
      )
    return topic
  }

  #createTopic(): Topic {
    const topic = new Topic(this, 'Topic', { displayName: 'Backstop', enforceSSL: true })
    // A policy of its own replaces the one by which CloudWatch would be allowed to publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    )
    return topic
  }
}
