import { Duration } from 'aws-cdk-lib'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { ENVIRONMENT } from '../../lambdas/contract.ts'
import { functionDefaults } from './function-defaults.ts'

const MEMORY_MB = 256

/** Whoever looks at a dashboard waits no longer. */
const TIMEOUT = Duration.seconds(10)

/** The function that draws the dashboard's table of endpoints: it reads the fleet's memory, and nothing else. */
export class WidgetFunction extends Construct {
  readonly handler: LambdaFunction

  constructor(scope: Construct, id: string, { config, table }: { config: GatewayConfig; table: Table }) {
    super(scope, id)
    this.handler = new LambdaFunction(this, 'Handler', {
      ...functionDefaults(this, {
        name: 'widget',
        description: "Backstop: draws the dashboard's table of endpoints",
        memorySize: MEMORY_MB,
        timeout: TIMEOUT,
        config,
      }),
    })
    this.handler.addEnvironment(ENVIRONMENT.table, table.tableName)
    this.handler.addToRolePolicy(
      new PolicyStatement({ actions: ['dynamodb:Query', 'dynamodb:GetItem'], resources: [table.tableArn] }),
    )
  }
}
