import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { STATS_PARTITIONS, statsPartition, type StatsKey } from '../core/item-keys.ts'
import { attempt, conditional, nameOf } from './attempt-call.ts'
import { counterUpdate, LAST_FAILURE } from './counter-update.ts'
import { timeLimit, type DynamoClients } from './dynamo-client.ts'
import { createDynamoUsage } from './dynamo-usage.ts'
import { createDynamoQuotas } from './dynamo-quotas.ts'
import type { ConditionalWrite, Counters, FleetStore, Stats, WriteResult } from './fleet-store.ts'
import { decodeStateItem, encodeStateItem, type TableItem } from './item-codec.ts'
import { decodeHolder, encodeHolder, holderItemOf } from './holder-item.ts'
import { decodeSession, encodeSession, SESSION_ITEM } from './session-item.ts'
import type { StateItem } from './state-item.ts'
import { StoreError } from './store-error.ts'

type StateReader = FleetStore['readStateItem']
type DynamoOptions = { clients: DynamoClients; table: string; now(): number }

/** Some tables on this machine know no transactions. */
const UNKNOWN_OPERATION = 'UnknownOperationException'

const isExpired = ({ expiresAt }: Pick<StateItem, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && expiresAt * 1_000 <= now

function countersOf(attributes: TableItem | undefined): Counters {
  const { expiresAt: _, ...rest } = attributes ?? {}
  return Object.fromEntries(
    Object.entries(rest).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  )
}

/** What every answer of a table holds: without it the answer came from elsewhere, and would read as a healthy fleet. */
function promised<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new TypeError('Unexpected response: it is not from DynamoDB.')
  return part
}

const addressOf = (key: StatsKey) => ({ pk: statsPartition(key), sk: key })

function statsOf(item: TableItem): Stats {
  const textAt = (name: string): string | null => {
    const text = item[name]
    return typeof text === 'string' ? text : null
  }
  return { counters: countersOf(item), lastFailure: textAt(LAST_FAILURE), suggestion: textAt('suggestion') }
}

/** The fleet's memory in one DynamoDB table with keys `pk` and `sk`. */
export function createDynamoStore({ clients, table, now }: DynamoOptions): FleetStore {
  const { reads, limits } = clients
  // A body that trickles outlives every timeout of the SDK.
  const readLimit = () => ({ abortSignal: AbortSignal.timeout(limits.readMs) })
  const writeLimit = () => timeLimit(limits.writeMs)

  async function readPartition(pk: string): Promise<readonly TableItem[]> {
    const found: TableItem[] = []
    let startKey: TableItem | undefined
    do {
      const query = new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ...(startKey ? { ExclusiveStartKey: startKey } : {}),
      })
      const { Items, LastEvaluatedKey } = await reads.send(query, readLimit())
      found.push(...promised(Items))
      startKey = LastEvaluatedKey
    } while (startKey)
    return found
  }

  async function readItem(pk: string, sk: string): Promise<TableItem | undefined> {
    const query = new GetCommand({ TableName: table, Key: { pk, sk }, ConsistentRead: true })
    const { Item } = await reads.send(query, readLimit())
    return Item
  }

  function condition(expectedVersion: number | null) {
    // An item whose version is no number cannot have been written by any of us.
    const absent = 'expiresAt <= :now OR NOT attribute_type(version, :number)'
    return expectedVersion === null
      ? {
          ConditionExpression: absent,
          ExpressionAttributeValues: { ':now': Math.floor(now() / 1_000), ':number': 'N' },
        }
      : {
          ConditionExpression: 'version = :read',
          ExpressionAttributeValues: { ':read': expectedVersion },
        }
  }

  const putting = ({ item, expectedVersion }: ConditionalWrite) => ({
    TableName: table,
    Item: encodeStateItem(item),
    ...condition(expectedVersion),
  })

  const putItem = (write: ConditionalWrite): Promise<WriteResult> =>
    conditional(`writing ${write.item.key}`, () =>
      clients.writes.send(new PutCommand(putting(write)), writeLimit()),
    )

  const removeItem = (key: string, version: number): Promise<WriteResult> =>
    conditional(`removing ${key}`, () => {
      const command = new DeleteCommand({
        TableName: table,
        Key: { pk: 'state', sk: key },
        ConditionExpression: 'version = :read',
        ExpressionAttributeValues: { ':read': version },
      })
      return clients.writes.send(command, writeLimit())
    })

  /** Where the table knows no transactions: one after the other, and back where one of them fails. */
  async function putInTurn(all: readonly ConditionalWrite[], readBefore: StateReader): Promise<WriteResult> {
    const before = await Promise.all(all.map(({ item }) => readBefore(item.key)))
    for (const [index, write] of all.entries()) {
      if ((await putItem(write)) === 'written') continue
      for (const [done, { item }] of all.slice(0, index).entries()) {
        const old = before[done]
        if (old) await putItem({ item: old, expectedVersion: item.version })
        else await removeItem(item.key, item.version)
      }
      return 'conflict'
    }
    return 'written'
  }

  const readStateItem: StateReader = key =>
    attempt(`reading ${key}`, async () => {
      const found = await readItem('state', key)
      const item = found ? decodeStateItem(found) : null
      return item && item !== 'outdated' && !isExpired(item, now()) ? item : null
    })

  return {
    ...createDynamoUsage({ clients, table, countersOf, promised }),
    ...createDynamoQuotas({ clients, table, countersOf, promised }),

    readState: () =>
      attempt('reading the state', async () => {
        const found = (await readPartition('state')).map(decodeStateItem).filter(item => item !== 'outdated')
        const items = found.filter(item => item !== null)
        return { items: items.filter(item => !isExpired(item, now())), garbage: found.length - items.length }
      }),

    readStateItem,

    putStateItem: (item, expectedVersion) => putItem({ item, expectedVersion }),

    async putStateItems(all) {
      const [only] = all
      if (only && all.length === 1) return putItem(only)
      try {
        return await conditional('writing several items', () => {
          const TransactItems = all.map(write => ({ Put: putting(write) }))
          return clients.writes.send(new TransactWriteCommand({ TransactItems }), writeLimit())
        })
      } catch (error) {
        const isUnknown = error instanceof StoreError && nameOf(error.cause) === UNKNOWN_OPERATION
        if (isUnknown) return putInTurn(all, readStateItem)
        throw error
      }
    },

    deleteStateItem: removeItem,

    addCounts: (key, add, remove, expiresAt, lastFailure) =>
      attempt(`counting ${key}`, async () => {
        const command = new UpdateCommand({
          TableName: table,
          Key: addressOf(key),
          ...counterUpdate(add, remove, expiresAt, lastFailure),
          ReturnValues: 'ALL_NEW',
        })
        const { Attributes } = await clients.writes.send(command, writeLimit())
        return countersOf(promised(Attributes))
      }),

    noteSuggestion: (key, suggestion, expiresAt) =>
      attempt(`noting a suggestion for ${key}`, async () => {
        const command = new UpdateCommand({
          TableName: table,
          Key: addressOf(key),
          UpdateExpression: 'SET suggestion = :suggestion, expiresAt = :expiresAt',
          ExpressionAttributeValues: {
            ':suggestion': suggestion,
            ':expiresAt': Math.ceil(expiresAt / 1_000),
          },
        })
        await clients.writes.send(command, writeLimit())
      }),

    readCounts: keys =>
      attempt('reading counters', async () => {
        const query = new BatchGetCommand({
          RequestItems: { [table]: { Keys: keys.map(addressOf), ConsistentRead: true } },
        })
        const { Responses, UnprocessedKeys } = await reads.send(query, readLimit())
        const found = promised(Responses)[table] ?? []
        if (UnprocessedKeys && Object.keys(UnprocessedKeys).length > 0) throw new Error('throttled')
        const byKey = new Map(found.map(item => [item['sk'], countersOf(item)]))
        return keys.map(key => byKey.get(key) ?? {})
      }),

    readStats: () =>
      attempt('reading all counters', async () => {
        const partitions = Array.from({ length: STATS_PARTITIONS }, (_, index) => `stats#${index}`)
        const items = (await Promise.all(partitions.map(readPartition))).flat()
        return new Map(items.map(item => [String(item['sk']), statsOf(item)]))
      }),

    readSession: key =>
      attempt('reading a session', async () => {
        const found = await readItem(key, SESSION_ITEM)
        const record = found ? decodeSession(found) : null
        return record && !isExpired(record, now()) ? record : null
      }),

    putSession: (key, record, expectedVersion) =>
      conditional('writing a session', () => {
        const put = new PutCommand({
          ...condition(expectedVersion),
          TableName: table,
          Item: encodeSession(key, record),
        })
        return clients.writes.send(put, writeLimit())
      }),

    readHolder: key =>
      attempt('reading an endpoint', async () => {
        const found = await readItem(key, holderItemOf(key))
        const record = found ? decodeHolder(found) : null
        return record && !isExpired(record, now()) ? record : null
      }),

    putHolder: (key, record) =>
      attempt('writing an endpoint', async () => {
        const command = new PutCommand({ TableName: table, Item: encodeHolder(key, record) })
        await clients.writes.send(command, writeLimit())
      }),
  }
}
