import { type Duration, RemovalPolicy } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  Architecture,
  type FunctionProps,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { type FunctionSource, functionCode } from './function-code.ts'

export type FunctionPlan = FunctionSource & {
  description: string
  memorySize: number
  timeout: Duration
}

const DEFAULT_RETENTION_DAYS = 30

/** What all functions of the stack have in common: platform, bundle, a role that may log and nothing else. */
export function functionDefaults(scope: Construct, plan: FunctionPlan): FunctionProps {
  const { name, config, ...rest } = plan
  const logGroup = new LogGroup(scope, 'Logs', {
    retention: config.deploy?.logRetentionDays ?? DEFAULT_RETENTION_DAYS,
    removalPolicy: RemovalPolicy.DESTROY,
  })
  return {
    ...rest,
    code: functionCode(scope, { name, config }),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    logGroup,
    // The platform's lines of every call that went well would be half of a probe's log. Our own go to stdout, which
    // the format leaves as they are.
    loggingFormat: LoggingFormat.JSON,
    systemLogLevelV2: SystemLogLevel.WARN,
    role: createRole(scope, logGroup),
  }
}

function createRole(scope: Construct, logGroup: LogGroup): Role {
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
  role.addToPolicy(
    new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    }),
  )
  return role
}
