import { composeGateway } from './compose/gateway.ts'
import { lambdaOptions } from './compose/lambda.ts'
import { streamifyResponse } from './platform/lambda-stream.ts'

/** The deployable: the shipped configuration behind a Function URL in response streaming mode. */
export const handler = streamifyResponse(composeGateway(lambdaOptions()).handler)
