import { endpointKey } from '../../../lambdas/core/item-keys.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import { createDynamoClients } from '../../../lambdas/store/dynamo-client.ts'
import { createDynamoStore } from '../../../lambdas/store/dynamo-store.ts'
import { openLocalFleet } from '../../../infra/local/table/local-fleet.ts'
import { LOCAL_TABLE } from '../../../infra/local/table/dynamo.ts'
import { DYNAMO_NAME, startSharedDynamo } from '../../fleet/instances/shared-dynamo.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { percentile } from '../percentile.ts'

const ENDPOINTS = 600
const DAY_MS = 86_400_000
const MOST_AT_ONCE = 20

/** How long the list of many endpoints takes, each of which has been called for a week. */
export async function listEndpoints(times: number) {
  const dynamo = await startSharedDynamo()
  const local = await openLocalFleet({ AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint })
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const access = { endpoint: dynamo.endpoint, region: 'us-east-1', credentials }
  const clients = createDynamoClients(access, { connectionMs: 5_000, requestMs: 5_000 })
  const store = createDynamoStore({ clients, table: LOCAL_TABLE, now: Date.now })
  const names = Array.from({ length: ENDPOINTS }, (_, index) => `up/model-${index}`)
  await using gateway = await startGateway(
    {
      providers: { up: { baseUrl: 'http://127.0.0.1:9/v1', key: false } },
      models: { chat: { tiers: [names] } },
    },
    {},
    { clock: systemClock, store },
  )
  const list = async (): Promise<{ id: string }[]> => {
    const response = await fetch(`${gateway.url}/v1/endpoints`)
    return ((await response.json()) as { data: { id: string }[] }).data
  }
  const ids = (await list()).map(({ id }) => id)
  const today = Math.floor(Date.now() / DAY_MS)
  const counters = Object.fromEntries(
    Array.from({ length: 7 }, (_, ago) => today - ago).flatMap(day => [
      [`do${day}`, 1_234],
      [`df${day}`, 12],
      [`dm${day}`, 987_654],
    ]),
  )
  for (let first = 0; first < ids.length; first += MOST_AT_ONCE) {
    const some = ids.slice(first, first + MOST_AT_ONCE)
    await Promise.all(
      some.map(id => store.addCounts(endpointKey(id), counters, [], Date.now() + DAY_MS, 'x'.repeat(120))),
    )
  }
  const taken: number[] = []
  const cpu = process.cpuUsage()
  for (let count = 0; count < times; count += 1) {
    const startedAt = performance.now()
    const rows = await list()
    if (rows.length !== ENDPOINTS) throw new Error(`${rows.length} endpoints were listed`)
    taken.push(performance.now() - startedAt)
  }
  const { user, system } = process.cpuUsage(cpu)
  clients.destroy()
  await local.close()
  await dynamo.close()
  return {
    endpoints: ENDPOINTS,
    table: DYNAMO_NAME,
    medianMs: percentile(taken, 0.5),
    cpuMs: (user + system) / 1_000 / times,
  }
}
