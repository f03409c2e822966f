import config from '#gateway-config'
import { composeGateway } from './compose-gateway.ts'
import { readEnvironment } from './config/environment.ts'
import { resolveGateway } from './config/resolve-gateway.ts'
import { streamifyResponse } from './platform/lambda-stream.ts'

const gateway = composeGateway({
  config,
  environment: readEnvironment(resolveGateway(config).providers.keys()),
  log: line => void process.stdout.write(`${JSON.stringify(line)}\n`),
})

/** The deployable: the shipped configuration behind a Function URL in response streaming mode. */
export const handler = streamifyResponse(gateway.handler)
