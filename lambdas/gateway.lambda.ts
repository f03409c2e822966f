import { composeGateway } from './compose/gateway.ts'
import { lambdaOptions } from './compose/lambda.ts'
import { streamifyResponse } from './platform/lambda-stream.ts'

const gateway = composeGateway(lambdaOptions())
// While the module loads: without keys and a first look, the first request of an instance would know nothing.
gateway.begin()

/** The deployable: the shipped configuration behind a Function URL in response streaming mode. */
export const handler = streamifyResponse(gateway.handler)
