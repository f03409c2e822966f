import { statsPartition, type StatsKey } from '../../lambdas/core/item-keys.ts'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { createTable } from '../../infra/local/table/create-table.ts'
import { startEmbeddedDynamo } from '../../infra/local/table/dynamo.ts'
import { createDynamoClients } from '../../lambdas/store/dynamo-client.ts'
import { createDynamoStore } from '../../lambdas/store/dynamo-store.ts'
import type { FleetStore } from '../../lambdas/store/fleet-store.ts'
import type { TableItem } from '../../lambdas/store/item-codec.ts'
import { missingForDynamoDbLocal, startDynamoDbLocal } from '../support/tables/dynamodb-local.ts'
import { systemClock } from '../../lambdas/platform/clock.ts'
import { createMemoryStore } from '../support/tables/memory-store.ts'
import { NOW } from './state-items.ts'

/** An empty table of its own, its store, and a hand that reaches past the store. */
export type OpenTable = {
  store: FleetStore
  clock: { now: number }
  plant(item: TableItem): Promise<void>
  /** The expiry of counters, in epoch seconds. */
  countsExpireAt(key: StatsKey): Promise<unknown>
  close(): void
}

export type TableServer = { open(): Promise<OpenTable>; close(): Promise<void> }

export const ACCESS = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const
/** The suite asks what the store does, not how fast a busy machine answers. */
const PATIENT = { connectionMs: 60_000, requestMs: 60_000 }

async function memoryServer(): Promise<TableServer> {
  return {
    async open() {
      const clock = { now: NOW }
      const store = createMemoryStore({ ...systemClock, now: () => clock.now })
      return {
        store,
        clock,
        plant: async item => store.plant(item),
        countsExpireAt: async key => store.countsExpireAt(key),
        close: () => {},
      }
    },
    close: async () => {},
  }
}

function dynamoServer({ endpoint, close }: { endpoint: string; close(): Promise<void> }): TableServer {
  const access = { endpoint, ...ACCESS }
  let opened = 0
  return {
    async open() {
      opened += 1
      const table = `table-${opened}`
      const raw = new DynamoDBClient(access)
      await createTable(raw, table)
      const documents = DynamoDBDocumentClient.from(raw, {
        marshallOptions: { removeUndefinedValues: true, allowImpreciseNumbers: true },
      })
      const clients = createDynamoClients(access, PATIENT)
      const clock = { now: NOW }
      return {
        store: createDynamoStore({ clients, table, now: () => clock.now }),
        clock,
        async plant(item) {
          await documents.send(new PutCommand({ TableName: table, Item: item }))
        },
        async countsExpireAt(sk) {
          const { Item } = await documents.send(
            new GetCommand({ TableName: table, Key: { pk: statsPartition(sk), sk } }),
          )
          return Item?.['expiresAt']
        },
        close() {
          clients.destroy()
          raw.destroy()
        },
      }
    },
    close,
  }
}

/** Every table that keeps the contract, and what is missing where it cannot be started here. */
export const TABLES: readonly { name: string; missing: string | null; start(): Promise<TableServer> }[] = [
  { name: 'memory', missing: null, start: memoryServer },
  { name: 'dynalite', missing: null, start: async () => dynamoServer(await startEmbeddedDynamo()) },
  {
    name: 'DynamoDB Local',
    missing: missingForDynamoDbLocal(),
    start: async () => dynamoServer(await startDynamoDbLocal()),
  },
]
