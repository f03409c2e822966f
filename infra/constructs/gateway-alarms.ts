import { Aws } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { alarmPlans } from './alarm-plans.ts'
import { gatewayMetrics } from './gateway-metrics.ts'

export type GatewayAlarmsProps = {
  config: GatewayConfig
  gateway: IFunction
  probe: IFunction
  metricNamespace: string
}

const { GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = ComparisonOperator

/** The alarms of a gateway, and the topic that tells of them; each names the heading of the runbook that helps. */
export class GatewayAlarms extends Construct {
  readonly topic: Topic

  constructor(scope: Construct, id: string, props: GatewayAlarmsProps) {
    super(scope, id)
    const { config, gateway, probe, metricNamespace } = props
    this.topic = new Topic(this, 'Topic', { displayName: 'Backstop', enforceSSL: true })
    // A policy of its own replaces the one by which CloudWatch would be allowed to publish.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    )
    const email = config.deploy?.alarmEmail
    if (email !== undefined) this.topic.addSubscription(new EmailSubscription(email))
    const action = new SnsAction(this.topic)
    const aliases = Object.keys(config.models)
    for (const plan of alarmPlans({ aliases, gateway, probe, metrics: gatewayMetrics(metricNamespace) })) {
      const alarm = new Alarm(this, plan.id, {
        ...plan.when,
        comparisonOperator: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        alarmDescription: `${plan.meaning} See infra/RUNBOOK.md, "${plan.heading}".`,
      })
      alarm.addAlarmAction(action)
      alarm.addOkAction(action)
    }
  }
}
