import { CreateStackCommand, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { CreateSecretCommand, GetRandomPasswordCommand } from '@aws-sdk/client-secrets-manager'
import type { JsonObject } from '../../lambdas/core/json.ts'
import { synthesise } from '../infra/synthesise.ts'
import type { AwsClients } from './aws-clients.ts'
import { resourcesOf, withoutGaps } from './moto-gaps.ts'

export const STACK = 'Backstop-test'

const PARAMETER = '/cdk-bootstrap/hnb659fds/version'

/** What `cdk bootstrap` leaves behind, as far as a template looks for it. */
async function bootstrap(endpoint: string, region: string): Promise<void> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'x-amz-target': 'AmazonSSM.PutParameter',
      'content-type': 'application/x-amz-json-1.1',
      authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/ssm/aws4_request, Signature=none`,
    },
    body: JSON.stringify({ Name: PARAMETER, Value: '30', Type: 'String' }),
  })
  if (!response.ok) throw new Error(await response.text())
}

/** A secret with a generated key, under a name as CloudFormation makes it; returns its ARN. */
async function makeSecret({ secrets }: AwsClients, id: string, properties: JsonObject): Promise<string> {
  const wish = properties['GenerateSecretString'] as {
    SecretStringTemplate: string
    GenerateStringKey: string
    PasswordLength: number
    ExcludePunctuation: boolean
  }
  const { PasswordLength, ExcludePunctuation, GenerateStringKey } = wish
  const made = await secrets.send(new GetRandomPasswordCommand({ PasswordLength, ExcludePunctuation }))
  const content = { ...JSON.parse(wish.SecretStringTemplate), [GenerateStringKey]: made.RandomPassword }
  const { ARN = '' } = await secrets.send(
    new CreateSecretCommand({ Name: `${id}-hZ3kQ9vTq0aB`, SecretString: JSON.stringify(content) }),
  )
  return ARN
}

/** Creates the stack of a configuration in an emulated account; returns its outputs. */
export async function deployStack(
  configuration: unknown,
  { endpoint, region, clients, url }: { endpoint: string; region: string; clients: AwsClients; url: string },
): Promise<Record<string, string>> {
  const template = synthesise(configuration).template.toJSON() as Parameters<typeof withoutGaps>[0]
  await bootstrap(endpoint, region)
  const values = new Map<string, string>()
  for (const [id, properties] of resourcesOf(template, 'AWS::SecretsManager::Secret'))
    values.set(id, await makeSecret(clients, id, properties))
  for (const [id] of resourcesOf(template, 'AWS::Lambda::Url')) values.set(id, url)
  await clients.cloudFormation.send(
    new CreateStackCommand({
      StackName: STACK,
      TemplateBody: JSON.stringify(withoutGaps(template, values)),
      Capabilities: ['CAPABILITY_IAM'],
    }),
  )
  const { Stacks = [] } = await clients.cloudFormation.send(new DescribeStacksCommand({ StackName: STACK }))
  const [{ Outputs = [] } = {}] = Stacks
  return Object.fromEntries(Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]))
}
