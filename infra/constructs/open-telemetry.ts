import { SecretValue } from 'aws-cdk-lib'
import { type Function as LambdaFunction, LayerVersion } from 'aws-cdk-lib/aws-lambda'
import type { GatewayConfig } from '../../lambdas/config/gateway-config.ts'

type OpenTelemetry = NonNullable<NonNullable<GatewayConfig['deploy']>['openTelemetry']>

/** Where the collector of a layer listens. */
const LAYER_ENDPOINT = 'http://localhost:4318'

/** Tells a function where to send its traces, and adds the layer with the collector where there is one. */
export function addOpenTelemetry(
  handler: LambdaFunction,
  { layer, endpoint = layer && LAYER_ENDPOINT, headersSecret, variables = {} }: OpenTelemetry,
): void {
  if (endpoint !== undefined) handler.addEnvironment('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint)
  if (headersSecret !== undefined) {
    // A reference that CloudFormation follows: the template never holds the key.
    const headers = SecretValue.secretsManager(headersSecret).unsafeUnwrap()
    handler.addEnvironment('OTEL_EXPORTER_OTLP_HEADERS', headers)
  }
  for (const [name, value] of Object.entries(variables)) handler.addEnvironment(name, value)
  if (layer !== undefined) handler.addLayers(LayerVersion.fromLayerVersionArn(handler, 'Collector', layer))
}
