import { Duration } from 'aws-cdk-lib'
import {
  Function as LambdaFunction,
  FunctionUrlAuthType,
  type FunctionUrl,
  HttpMethod,
  InvokeMode,
} from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { CORS } from '../../lambdas/contract.ts'
import { type Fleet, allowFleetAccess } from './fleet-access.ts'
import { functionDefaults } from './function-defaults.ts'
import { addOpenTelemetry } from './open-telemetry.ts'

/**
 * A gateway waits, and is billed for memory × time. The 0.29 cores that come with 512 MB do its work between two tokens
 * of any upstream, and leave room for the largest body; twice the memory would double the bill of every second spent
 * waiting. `npm run bench -- bill` measures its CPU and memory, and computes the bill with less and with more.
 */
const MEMORY_MB = 512

/** The platform's longest: the gateway's own limits end a request earlier, and may be raised without a deploy. */
const TIMEOUT = Duration.minutes(15)

/** The gateway behind a Function URL that streams its answers. */
export class GatewayFunction extends Construct {
  readonly handler: LambdaFunction
  readonly url: FunctionUrl

  constructor(scope: Construct, id: string, fleet: Fleet) {
    super(scope, id)
    const { auth = 'key', reservedConcurrency, openTelemetry } = fleet.config.deploy ?? {}
    this.handler = new LambdaFunction(this, 'Handler', {
      ...functionDefaults(this, {
        name: 'gateway',
        description: 'Backstop: answers the OpenAI chat API from the first endpoint that works',
        memorySize: MEMORY_MB,
        timeout: TIMEOUT,
        config: fleet.config,
      }),
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
    })
    allowFleetAccess(this.handler, fleet)
    if (openTelemetry) addOpenTelemetry(this.handler, openTelemetry)
    this.url = this.handler.addFunctionUrl({
      // With NONE everybody may invoke, and the gateway asks for a client key itself.
      authType: auth === 'iam' ? FunctionUrlAuthType.AWS_IAM : FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
      cors: {
        allowedOrigins: [...CORS.allowOrigins],
        allowedMethods: CORS.allowMethods.map(method => HttpMethod[method]),
        allowedHeaders: [...CORS.allowHeaders],
        exposedHeaders: [...CORS.exposeHeaders],
        maxAge: Duration.seconds(CORS.maxAgeSeconds),
      },
    })
  }
}
