import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb'
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { GatewayAlarms } from '../../../infra/constructs/gateway-alarms.ts'
import { GatewayDashboard } from '../../../infra/constructs/gateway-dashboard.ts'
import { parseGatewayConfig, type GatewayConfig } from '../../../lambdas/config/gateway-config.ts'
import { METRIC_NAMESPACE } from '../../../lambdas/contract.ts'

const PRICED = { endpoint: 'openai/gpt-4o', price: { input: 2.5, output: 10 } }

/** A configuration of two aliases, one of them with a price. */
export const observedConfig = (deploy: object = {}): GatewayConfig =>
  parseGatewayConfig({
    models: {
      'gpt-4o': { tiers: [[PRICED], ['groq/llama-3.1-8b-instant']] },
      small: { tiers: [['groq/a']] },
    },
    deploy,
  })

/** Dashboard and alarms over functions that do nothing. */
export function observedTemplate(
  config: GatewayConfig = observedConfig(),
  metricNamespace = METRIC_NAMESPACE,
): Template {
  const stack = new Stack(new App(), 'Observed', { env: { account: '123456789012', region: 'eu-central-1' } })
  const functionNamed = (name: string): LambdaFunction =>
    new LambdaFunction(stack, name, {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = () => 1'),
      logGroup: new LogGroup(stack, `${name}Logs`),
    })
  const table = new Table(stack, 'Table', { partitionKey: { name: 'pk', type: AttributeType.STRING } })
  const [gateway, probe, widget] = ['Gateway', 'Probe', 'Widget'].map(functionNamed)
  if (!gateway || !probe || !widget) throw new Error('three names make three functions')
  void new GatewayDashboard(stack, 'Dashboard', {
    name: 'Backstop-test',
    config,
    gateway,
    probe,
    widget,
    table,
    metricNamespace,
  })
  const canary = config.deploy?.canary ? functionNamed('Canary') : null
  void new GatewayAlarms(stack, 'Alarms', { config, gateway, probe, canary, metricNamespace })
  return Template.fromStack(stack)
}
