import { expect, it } from 'vitest'
import { systemClock } from '../../lambdas/platform/clock.ts'
import { openLocalFleet } from '../../infra/local/table/local-fleet.ts'
import { STATS_PARTITIONS } from '../../lambdas/core/item-keys.ts'
import { startGateway } from '../support/start-gateway.ts'
import { endAfterEach } from './instances/end-after-each.ts'
import { openStore } from './instances/read-counters.ts'
import { startSharedDynamo } from './instances/shared-dynamo.ts'
import { startTableProxy } from './instances/table-proxy.ts'

const ENDPOINTS = 600
const open = endAfterEach()

it('six hundred endpoints are listed with eight queries for their counters, and one for what ails them', async () => {
  const dynamo = await startSharedDynamo()
  open({ [Symbol.asyncDispose]: dynamo.close })
  const local = await openLocalFleet({ AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint })
  open({ [Symbol.asyncDispose]: local.close })
  const proxy = open(await startTableProxy(dynamo.endpoint))
  const { store, close } = openStore(proxy.url)
  open({ [Symbol.asyncDispose]: async () => close() })
  const names = Array.from({ length: ENDPOINTS }, (_, index) => `up/m${index}`)
  const gateway = open(
    await startGateway(
      {
        providers: { up: { baseUrl: 'http://127.0.0.1:9/v1', key: false } },
        models: { chat: { tiers: [names] } },
      },
      {},
      { clock: systemClock, store },
    ),
  )
  const response = await fetch(`${gateway.url}/v1/endpoints`)
  const { data } = (await response.json()) as { data: unknown[] }
  expect(data).toHaveLength(ENDPOINTS)
  expect(proxy.asked).toBe(STATS_PARTITIONS + 1)
}, 300_000)
