import { Duration } from 'aws-cdk-lib'
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { callOnSchedule } from './call-on-schedule.ts'
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
    callOnSchedule(this, this.handler, {
      description: 'Backstop: one probe run per minute',
      every: 'rate(1 minute)',
      maxAge: TICK,
    })
  }
}
