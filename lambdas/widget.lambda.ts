import config from '#gateway-config'
import { composeWidget } from './compose/widget.ts'
import { readEnvironment } from './config/environment.ts'
import { ENVIRONMENT } from './contract.ts'
import { systemClock } from './platform/clock.ts'
import { createDynamoClients } from './store/dynamo-client.ts'
import { createDynamoStore } from './store/dynamo-store.ts'

const environment = readEnvironment([])
const { table } = environment
if (!table) throw new Error(`The function needs ${ENVIRONMENT.table}, which the stack sets.`)

/** The deployable: the dashboard's live table of endpoints. */
export const { handler } = composeWidget({
  config,
  environment,
  store: createDynamoStore({
    clients: createDynamoClients(environment.sdkAccess('DYNAMODB')),
    table,
    now: systemClock.now,
  }),
  // Without metrics: what only a person who looks at the dashboard meets must not raise an alarm.
  log: line => void process.stdout.write(`${JSON.stringify(line)}\n`),
})
