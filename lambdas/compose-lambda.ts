import config from '#gateway-config'
import type { GatewayOptions } from './compose-gateway.ts'
import { readEnvironment } from './config/environment.ts'
import { resolveGateway } from './config/resolve-gateway.ts'
import { ENVIRONMENT } from './contract.ts'
import { systemClock } from './platform/clock.ts'
import { createDynamoClients } from './store/dynamo-client.ts'
import { createDynamoStore } from './store/dynamo-store.ts'

/** What a deployed function is made of: the inlined configuration, its environment, the fleet's table, stdout. */
export function lambdaOptions(): GatewayOptions {
  const environment = readEnvironment(resolveGateway(config).providers.keys())
  const { table } = environment
  if (!table)
    throw new Error(`${ENVIRONMENT.table} is not set: the function does not know the fleet's table.`)
  return {
    config,
    environment,
    store: createDynamoStore({ clients: createDynamoClients(), table, now: systemClock.now }),
    log: line => void process.stdout.write(`${JSON.stringify(line)}\n`),
  }
}
