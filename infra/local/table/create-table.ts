import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  UpdateTimeToLiveCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb'

const EXPIRY_ATTRIBUTE = 'expiresAt'
const POLL_MS = 50

const isNamed = (error: unknown, ...names: readonly string[]): boolean =>
  error instanceof Error && names.includes(error.name)

async function createIfAbsent(client: DynamoDBClient, name: string): Promise<void> {
  try {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      }),
    )
  } catch (error) {
    if (!isNamed(error, 'ResourceInUseException')) throw error
  }
}

async function waitUntilActive(client: DynamoDBClient, name: string): Promise<void> {
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }))
    if (Table?.TableStatus === 'ACTIVE') return
    await sleep(POLL_MS)
  }
}

async function hasExpiry(client: DynamoDBClient, name: string): Promise<boolean> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }))
  const status = TimeToLiveDescription?.TimeToLiveStatus
  return status === 'ENABLED' || status === 'ENABLING'
}

async function enableExpiry(client: DynamoDBClient, name: string): Promise<void> {
  try {
    if (await hasExpiry(client, name)) return
    const TimeToLiveSpecification = { AttributeName: EXPIRY_ATTRIBUTE, Enabled: true }
    await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }))
  } catch (error) {
    // Servers that know no TTL keep expired items, which readers ignore anyway.
    if (isNamed(error, 'UnknownOperationException')) return
    // Another gateway on the same table was faster.
    if (isNamed(error, 'ValidationException') && (await hasExpiry(client, name))) return
    throw error
  }
}

/** Creates the fleet's table as the stack does, unless it is there: on demand, `pk` and `sk`, with expiry. */
export async function createTable(client: DynamoDBClient, name: string): Promise<void> {
  await createIfAbsent(client, name)
  await waitUntilActive(client, name)
  await enableExpiry(client, name)
}
