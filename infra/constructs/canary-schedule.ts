import { Duration } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { ENVIRONMENT } from '../../lambdas/contract.ts'
import { callOnSchedule } from './call-on-schedule.ts'
import { functionDefaults } from './function-defaults.ts'

const MEMORY_MB = 256

/** More than the canary waits for its answer: it ends by itself, and says what was wrong. */
const TIMEOUT = Duration.seconds(90)

const HOUR = Duration.hours(1)

export type CanaryScheduleProps = {
  config: GatewayConfig
  secret: Secret
  gateway: LambdaFunction
  url: string
}

/** The canary, and the schedule that calls it once an hour. It may do what a client may, and nothing else. */
export class CanarySchedule extends Construct {
  readonly handler: LambdaFunction

  constructor(scope: Construct, id: string, { config, secret, gateway, url }: CanaryScheduleProps) {
    super(scope, id)
    this.handler = new LambdaFunction(this, 'Handler', {
      ...functionDefaults(this, {
        name: 'canary',
        description: 'Backstop: sends one request an hour through the URL, as a client does',
        memorySize: MEMORY_MB,
        timeout: TIMEOUT,
        config,
      }),
      retryAttempts: 0,
      maxEventAge: HOUR,
    })
    this.handler.addEnvironment(ENVIRONMENT.url, url)
    if (config.deploy?.auth === 'iam') gateway.grantInvokeUrl(this.handler)
    else {
      this.handler.addEnvironment(ENVIRONMENT.secret, secret.secretArn)
      this.handler.addToRolePolicy(
        new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
      )
    }
    callOnSchedule(this, this.handler, {
      description: 'Backstop: one request of the canary per hour',
      every: 'rate(1 hour)',
      maxAge: HOUR,
    })
  }
}
