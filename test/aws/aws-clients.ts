import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'

export const REGION = 'eu-central-1'

/** Clients of an emulated account, for what a test does beside the commands. */
export type AwsClients = ReturnType<typeof createAwsClients>

export function createAwsClients(endpoint: string, region = REGION) {
  const options = { endpoint, region, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } }
  return {
    cloudFormation: new CloudFormationClient(options),
    lambda: new LambdaClient(options),
    logs: new CloudWatchLogsClient(options),
    secrets: new SecretsManagerClient(options),
  }
}
