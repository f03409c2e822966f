import { composeGateway } from './compose/gateway.ts'
import { lambdaOptions } from './compose/lambda.ts'
import { streamifyResponse } from './platform/lambda-stream.ts'

const gateway = composeGateway(lambdaOptions())
/**
 * Without keys and a first look, the first request of an instance would know nothing. The loader waits for both, while
 * the platform still gives a whole core.
 */
export const ready = gateway.begin()

/** The deployable: the shipped configuration behind a Function URL in response streaming mode. */
export const handler = streamifyResponse(gateway.handler)
