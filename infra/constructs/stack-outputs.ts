import { CfnOutput, Stack } from 'aws-cdk-lib'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import type { Function as LambdaFunction, FunctionUrl } from 'aws-cdk-lib/aws-lambda'
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { STACK_OUTPUTS } from '../../lambdas/contract.ts'

export type StackOutputsProps = {
  config: GatewayConfig
  url: FunctionUrl
  secret: Secret
  table: Table
  gateway: LambdaFunction
  probe: LambdaFunction
  /** Null where there is none. */
  dashboardName: string | null
  alarmTopicArn: string | null
  /** Tells the outputs of one gateway from those of another in its stack. */
  prefix: string
}

/** Tells the person who deploys, and the commands that operate the stack, where everything is. */
export function addStackOutputs(scope: Construct, props: StackOutputsProps): void {
  const { config, url, secret, table, gateway, probe, dashboardName, alarmTopicArn, prefix } = props
  const stack = Stack.of(scope)
  const tell = (name: string, description: string, value: string): void =>
    // Without the hash that CDK would append, or nobody could look it up.
    new CfnOutput(scope, name, { description, value }).overrideLogicalId(`${prefix}${name}`)
  // The URL ends in a slash.
  tell(STACK_OUTPUTS.url, 'The gateway; the base URL of an SDK is this with v1 appended', url.url)
  tell(STACK_OUTPUTS.secret, 'The secret that holds client and provider keys', secret.secretName)
  tell(STACK_OUTPUTS.table, 'The state table', table.tableName)
  tell(STACK_OUTPUTS.probe, 'The function that probes unhealthy endpoints', probe.functionName)
  tell(
    STACK_OUTPUTS.logGroup,
    'The log of the gateway: one line per request, one per state change',
    gateway.logGroup.logGroupName,
  )
  tell(STACK_OUTPUTS.auth, 'How callers authenticate: key or iam', config.deploy?.auth ?? 'key')
  tell(STACK_OUTPUTS.try, 'A request to paste', tryIt(stack, props))
  if (alarmTopicArn !== null) tell(STACK_OUTPUTS.alarmTopic, 'Every alarm is published here', alarmTopicArn)
  if (dashboardName === null) return
  const console = `https://${stack.region}.console.aws.amazon.com/cloudwatch/home`
  const link = `${console}?region=${stack.region}#dashboards/dashboard/${dashboardName}`
  tell(STACK_OUTPUTS.dashboard, 'The dashboard', link)
}

/** The key is fetched by the command: none ever stands in a template. */
function tryIt(stack: Stack, { config, url, secret }: StackOutputsProps): string {
  const [model = 'MODEL'] = Object.keys(config.models)
  const question = { model, stream: true, messages: [{ role: 'user', content: 'What is a backstop?' }] }
  const { region } = stack
  const get = `aws secretsmanager get-secret-value --region ${region} --secret-id ${secret.secretName}`
  const show = `node -p 'JSON.parse(require("node:fs").readFileSync(0)).defaultClientKey'`
  const identity =
    config.deploy?.auth === 'iam'
      ? [
          `--aws-sigv4 "aws:amz:${region}:lambda"`,
          '--user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY"',
          '-H "x-amz-security-token: $AWS_SESSION_TOKEN"',
        ]
      : [`-H "authorization: Bearer $(${get} --query SecretString --output text | ${show})"`]
  return [
    `curl -N ${url.url}v1/chat/completions`,
    ...identity,
    "-H 'content-type: application/json'",
    `-d '${JSON.stringify(question).replaceAll("'", String.raw`'\''`)}'`,
  ].join(' ')
}
