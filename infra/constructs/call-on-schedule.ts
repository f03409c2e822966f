import { Aws, type Duration } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler'
import type { Construct } from 'constructs'

export type Calls = {
  description: string
  /** Such as `rate(1 minute)`. */
  every: string
  /** An older call is worth nothing. */
  maxAge: Duration
}

/** Calls a function again and again, by a role that may do nothing else. */
export function callOnSchedule(
  scope: Construct,
  handler: LambdaFunction,
  { description, every, maxAge }: Calls,
): void {
  const role = new Role(scope, 'ScheduleRole', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  })
  role.addToPolicy(
    new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [handler.functionArn] }),
  )
  const schedule = new CfnSchedule(scope, 'Schedule', {
    description,
    scheduleExpression: every,
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: handler.functionArn,
      roleArn: role.roleArn,
      input: '{}',
      retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: maxAge.toSeconds() },
    },
  })
  // The first call would find a role that may not call yet.
  schedule.node.addDependency(role)
}
