import { Stack } from 'aws-cdk-lib'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { bedrockModels } from '../../lambdas/config/bedrock-models.ts'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { ENVIRONMENT } from '../../lambdas/contract.ts'
import { joinNetwork } from './vpc-access.ts'

/** What a function needs that takes part in the fleet. */
export type Fleet = {
  config: GatewayConfig
  table: Table
  secret: Secret
  metricNamespace: string
  /** What `--stack` of the commands takes: messages name it. */
  stack: string
}

/** An inference profile of Bedrock, which may answer from any region of its group: `us.openai.gpt-oss-20b-1:0`. */
const PROFILE = /^(?:us|us-gov|eu|apac|jp|au|ca|sa|global)\.(.+)$/

/** Lets a function read and write the fleet's memory, read its keys, and invoke the configured models of Bedrock. */
export function allowFleetAccess(handler: LambdaFunction, fleet: Fleet): void {
  const { config, table, secret, metricNamespace, stack } = fleet
  handler.addEnvironment(ENVIRONMENT.table, table.tableName)
  handler.addEnvironment(ENVIRONMENT.secret, secret.secretArn)
  handler.addEnvironment(ENVIRONMENT.stack, stack)
  handler.addEnvironment(ENVIRONMENT.metricNamespace, metricNamespace)
  handler.addToRolePolicy(
    new PolicyStatement({
      actions: [
        'dynamodb:Query',
        'dynamodb:GetItem',
        'dynamodb:BatchGetItem',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
        'dynamodb:DeleteItem',
      ],
      resources: [table.tableArn],
    }),
  )
  handler.addToRolePolicy(
    new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] }),
  )
  if (config.deploy?.vpc) joinNetwork(handler, config.deploy.vpc)
  const resources = bedrockResources(handler, config)
  if (resources.length === 0) return
  handler.addToRolePolicy(
    new PolicyStatement({
      actions: ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'],
      resources: [...resources],
    }),
  )
}

function bedrockResources(handler: LambdaFunction, config: GatewayConfig): readonly string[] {
  const stack = Stack.of(handler)
  const resources = bedrockModels(config).flatMap(({ id, region }) => {
    const service = { service: 'bedrock', region: region ?? stack.region, account: '' }
    const model = PROFILE.exec(id)?.[1]
    if (model === undefined) {
      return [stack.formatArn({ ...service, resource: 'foundation-model', resourceName: id })]
    }
    const profile = { ...service, account: stack.account, resource: 'inference-profile', resourceName: id }
    const anywhere = { ...service, region: '*', resource: 'foundation-model', resourceName: model }
    return [stack.formatArn(profile), stack.formatArn(anywhere)]
  })
  return [...new Set(resources)]
}
