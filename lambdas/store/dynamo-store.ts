import { DeleteCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { DynamoClients } from './dynamo-client.ts'
import type { Counters, FleetStore, WriteResult } from './fleet-store.ts'
import { decodeStateItem, encodeStateItem, type TableItem } from './item-codec.ts'
import { decodeResponse, encodeResponse, RESPONSE_ITEM } from './response-item.ts'
import { decodeSession, encodeSession, SESSION_ITEM } from './session-item.ts'
import type { StateItem } from './state-item.ts'
import { StoreError } from './store-error.ts'

type DynamoOptions = { clients: DynamoClients; table: string; now(): number }

const CONDITION_FAILED = 'ConditionalCheckFailedException'

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
  if (part === undefined) throw new TypeError('The answer is not that of a table.')
  return part
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown')

/** Node's own errors are all called `Error`; their code tells what happened. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : nameOf(error)

const failed = (what: string, error: unknown): StoreError =>
  new StoreError(`${what} failed: ${reasonOf(error)}`, { cause: error })

/** Whatever goes wrong becomes a `StoreError`, so that callers need to know one. */
async function attempt<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw failed(what, error)
  }
}

/** A write whose condition failed is an answer, not an error. */
async function conditional(what: string, work: () => Promise<unknown>): Promise<WriteResult> {
  try {
    await work()
    return 'written'
  } catch (error) {
    if (nameOf(error) === CONDITION_FAILED) return 'conflict'
    throw failed(what, error)
  }
}

const names = (attributes: readonly string[], prefix: string): [string, string][] =>
  attributes.map((attribute, index) => [`#${prefix}${index}`, attribute])

function counting(add: Counters, remove: readonly string[], expiresAt: number) {
  const added = names(Object.keys(add), 'a')
  const removed = names(remove, 'r')
  const clauses = [
    'SET expiresAt = :expiresAt',
    ...(added.length > 0 ? [`ADD ${added.map(([name]) => `${name} :${name.slice(1)}`).join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.map(([name]) => name).join(', ')}`] : []),
  ]
  const all = [...added, ...removed]
  return {
    UpdateExpression: clauses.join(' '),
    ...(all.length > 0 ? { ExpressionAttributeNames: Object.fromEntries(all) } : {}),
    ExpressionAttributeValues: {
      ':expiresAt': Math.ceil(expiresAt / 1_000),
      ...Object.fromEntries(added.map(([name, attribute]) => [`:${name.slice(1)}`, add[attribute]])),
    },
  }
}

/** The fleet's memory in one DynamoDB table with keys `pk` and `sk`. */
export function createDynamoStore({ clients, table, now }: DynamoOptions): FleetStore {
  const { reads, writes, limits } = clients
  // A body that trickles outlives every timeout of the SDK.
  const readLimit = () => ({ abortSignal: AbortSignal.timeout(limits.readMs) })
  const writeLimit = () => ({ abortSignal: AbortSignal.timeout(limits.writeMs) })

  async function readPage(startKey: TableItem | undefined) {
    const query = new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'pk = :state',
      ExpressionAttributeValues: { ':state': 'state' },
      ...(startKey ? { ExclusiveStartKey: startKey } : {}),
    })
    const { Items, LastEvaluatedKey } = await reads.send(query, readLimit())
    return { found: promised(Items).map(decodeStateItem), next: LastEvaluatedKey }
  }

  async function readItem(pk: string, sk: string): Promise<TableItem | undefined> {
    const query = new GetCommand({ TableName: table, Key: { pk, sk }, ConsistentRead: true })
    const { Item } = await reads.send(query, readLimit())
    return Item
  }

  function put(item: TableItem, expectedVersion: number | null): Promise<unknown> {
    // An item whose version is no number cannot have been written by any of us.
    const absent = 'expiresAt <= :now OR NOT attribute_type(version, :number)'
    const condition =
      expectedVersion === null
        ? {
            ConditionExpression: absent,
            ExpressionAttributeValues: { ':now': Math.floor(now() / 1_000), ':number': 'N' },
          }
        : {
            ConditionExpression: 'version = :read',
            ExpressionAttributeValues: { ':read': expectedVersion },
          }
    return writes.send(new PutCommand({ TableName: table, Item: item, ...condition }), writeLimit())
  }

  return {
    readState: () =>
      attempt('reading the state', async () => {
        const found: (StateItem | null)[] = []
        let startKey: TableItem | undefined
        do {
          const page = await readPage(startKey)
          found.push(...page.found)
          startKey = page.next
        } while (startKey)
        const items = found.filter(item => item !== null)
        return { items: items.filter(item => !isExpired(item, now())), garbage: found.length - items.length }
      }),

    readStateItem: key =>
      attempt(`reading ${key}`, async () => {
        const found = await readItem('state', key)
        const item = found ? decodeStateItem(found) : null
        return item && !isExpired(item, now()) ? item : null
      }),

    putStateItem: (item, expectedVersion) =>
      conditional(`writing ${item.key}`, () => put(encodeStateItem(item), expectedVersion)),

    deleteStateItem: (key, expectedVersion) =>
      conditional(`removing ${key}`, () => {
        const command = new DeleteCommand({
          TableName: table,
          Key: { pk: 'state', sk: key },
          ConditionExpression: 'version = :read',
          ExpressionAttributeValues: { ':read': expectedVersion },
        })
        return writes.send(command, writeLimit())
      }),

    addCounts: (key, add, remove, expiresAt) =>
      attempt(`counting ${key}`, async () => {
        const command = new UpdateCommand({
          TableName: table,
          Key: { pk: 'stats', sk: key },
          ...counting(add, remove, expiresAt),
          ReturnValues: 'ALL_NEW',
        })
        const { Attributes } = await writes.send(command, writeLimit())
        return countersOf(promised(Attributes))
      }),

    readCounts: key => attempt(`reading ${key}`, async () => countersOf(await readItem('stats', key))),

    readSession: key =>
      attempt('reading a session', async () => {
        const found = await readItem(key, SESSION_ITEM)
        const record = found ? decodeSession(found) : null
        return record && !isExpired(record, now()) ? record : null
      }),

    putSession: (key, record, expectedVersion) =>
      conditional('writing a session', () => put(encodeSession(key, record), expectedVersion)),

    readResponse: key =>
      attempt('reading an answer', async () => {
        const found = await readItem(key, RESPONSE_ITEM)
        const record = found ? decodeResponse(found) : null
        return record && !isExpired(record, now()) ? record : null
      }),

    putResponse: (key, record) =>
      attempt('writing an answer', async () => {
        const command = new PutCommand({ TableName: table, Item: encodeResponse(key, record) })
        await writes.send(command, writeLimit())
      }),
  }
}
