import { Aws, Duration } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler'
import { Construct } from 'constructs'
import { type Fleet, allowFleetAccess } from './fleet-access.ts'
import { functionDefaults } from './function-defaults.ts'

/** It waits for upstreams like the gateway, with nobody waiting for it: the least that starts without strain. */
const MEMORY_MB = 256

/** Two passes may overlap: each endpoint is leased, so that only one of them asks it. */
const TIMEOUT = Duration.minutes(2)

/** A tick that is older than the next one is worth nothing. */
const TICK = Duration.minutes(1)

/** The probe function, and the schedule that calls it every minute. */
export class ProbeSchedule extends Construct {
  readonly handler: LambdaFunction

  constructor(scope: Construct, id: string, fleet: Fleet) {
    super(scope, id)
    this.handler = new LambdaFunction(this, 'Handler', {
      ...functionDefaults(this, {
        name: 'probe',
        description: 'Backstop: probes unhealthy endpoints until they answer again',
        memorySize: MEMORY_MB,
        timeout: TIMEOUT,
        config: fleet.config,
      }),
      // The schedule invokes asynchronously, and the platform would repeat what failed for hours.
      retryAttempts: 0,
      maxEventAge: TICK,
    })
    allowFleetAccess(this.handler, fleet)
    const role = new Role(this, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    })
    role.addToPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.handler.functionArn] }),
    )
    const schedule = new CfnSchedule(this, 'Schedule', {
      description: 'Backstop: one probe run per minute',
      scheduleExpression: 'rate(1 minute)',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: this.handler.functionArn,
        roleArn: role.roleArn,
        input: '{}',
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: TICK.toSeconds() },
      },
    })
    // The first tick would find a role that may not call yet.
    schedule.node.addDependency(role)
  }
}
