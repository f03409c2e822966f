import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTable } from '../../../infra/local/table/create-table.ts'
import { LOCAL_TABLE, type EmbeddedDynamo } from '../../../infra/local/table/dynamo.ts'
import { openLocalFleet } from '../../../infra/local/table/local-fleet.ts'
import { encodeStateItem, type TableItem } from '../../../lambdas/store/item-codec.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import { ask } from '../../support/ask.ts'
import { chatStream } from '../../support/upstreams/chat-bodies.ts'
import { startUpstream } from '../../support/upstreams/scripted-upstream.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { barItem, breakerItem, endpointItem } from '../../store/state-items.ts'
import { endAfterEach } from '../instances/end-after-each.ts'
import { openStore } from '../instances/read-counters.ts'
import { DYNAMO_NAME, startSharedDynamo } from '../instances/shared-dynamo.ts'

const ENDPOINTS = 200
const QUARANTINED = 150
const LITTER = 2_500
const BATCH = 25
const YEAR_MS = 365 * 24 * 3_600_000

const open = endAfterEach()
let dynamo: EmbeddedDynamo
let raw: DynamoDBClient
let documents: DynamoDBDocumentClient
beforeAll(async () => {
  dynamo = await startSharedDynamo()
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  raw = new DynamoDBClient({ endpoint: dynamo.endpoint, region: 'us-east-1', credentials })
  documents = DynamoDBDocumentClient.from(raw)
  await createTable(raw, LOCAL_TABLE)
}, 300_000)
afterAll(async () => {
  raw.destroy()
  await dynamo.close()
})

async function plant(items: readonly TableItem[]): Promise<void> {
  for (let first = 0; first < items.length; first += BATCH) {
    const requests = items.slice(first, first + BATCH).map(Item => ({ PutRequest: { Item } }))
    await documents.send(new BatchWriteCommand({ RequestItems: { [LOCAL_TABLE]: requests } }))
  }
}

async function pagesOfState(): Promise<number> {
  let pages = 0
  let start: TableItem | undefined
  do {
    const query = new QueryCommand({
      TableName: LOCAL_TABLE,
      KeyConditionExpression: 'pk = :state',
      ExpressionAttributeValues: { ':state': 'state' },
      ...(start ? { ExclusiveStartKey: start } : {}),
    })
    start = (await documents.send(query)).LastEvaluatedKey
    pages += 1
  } while (start)
  return pages
}

/** As `endpointItem` and `breakerItem`, but of a real day: a year ago, and expired where it may expire. */
function oldItems(idOf: (index: number) => string): TableItem[] {
  const longAgo = Date.now() - YEAR_MS
  const expiresAt = Math.floor((Date.now() - 60_000) / 1_000)
  const { health } = endpointItem('a')
  const probe = { ...health.probe, dueAt: Date.now() + YEAR_MS, failures: 40 }
  const quarantined = { ...health, since: longAgo, probe }
  const { breaker } = barItem('limit#model#a', Date.now() + YEAR_MS)
  const ill = Array.from({ length: QUARANTINED }, (_, index) =>
    encodeStateItem(endpointItem(idOf(index), { health: quarantined })),
  )
  const expiredIllness = Array.from({ length: ENDPOINTS - QUARANTINED }, (_, index) =>
    encodeStateItem(endpointItem(idOf(QUARANTINED + index), { health: quarantined, expiresAt })),
  )
  const litter = Array.from({ length: LITTER }, (_, index) =>
    encodeStateItem(breakerItem(`long/gone-${index}-${'y'.repeat(700)}`, { expiresAt, breaker })),
  )
  const current = [encodeStateItem(breakerItem(idOf(QUARANTINED), { expiresAt, breaker }))]
  return [...litter, ...ill, ...expiredIllness, ...current]
}

it(`two hundred endpoints in a ${DYNAMO_NAME} full of what has expired: several pages, all right`, async () => {
  const upstream = open(await startUpstream([chatStream(['here'])]))
  const { store, close } = openStore(dynamo.endpoint)
  open({ [Symbol.asyncDispose]: async () => close() })
  const names = Array.from({ length: ENDPOINTS }, (_, index) => `up/m${index}`)
  const gateway = open(
    await startGateway(
      {
        providers: { up: { baseUrl: upstream.url, key: false } },
        models: { chat: { tiers: [names] } },
        settings: { state_wait_ms: 1_000 },
      },
      {},
      { clock: systemClock, store },
    ),
  )
  const rows = async () => {
    const response = await fetch(`${gateway.url}/v1/endpoints`)
    return ((await response.json()) as { data: { id: string; health: string; cooldowns: unknown[] }[] }).data
  }
  const ids = (await rows()).map(({ id }) => id)
  expect(ids).toHaveLength(ENDPOINTS)
  await plant(oldItems(index => ids[index] ?? ''))
  expect(await pagesOfState()).toBeGreaterThan(1)

  const local = await openLocalFleet({ AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint })
  open({ [Symbol.asyncDispose]: local.close })
  // A page holds fewer than a thousand, and some have been removed already.
  expect((await local.readTable()).length).toBeGreaterThan(LITTER / 2)

  const healths = async () => (await rows()).filter(({ health }) => health === 'quarantined').length
  await expect.poll(healths, { interval: 500 }).toBe(QUARANTINED)
  expect((await rows()).every(({ cooldowns }) => cooldowns.length === 0)).toBe(true)
  const answer = await ask(gateway)
  expect(answer.content).toBe('here')
  expect(answer.headers.get('x-backstop-served-by')).toBe(`up/m${QUARANTINED}`)
  expect(answer.headers.get('x-backstop-attempts')).toBe('1')
  expect(upstream.calls()).toBe(1)
  expect(gateway.handlerErrors).toEqual([])
}, 300_000)
