import { BatchGetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { quotaAddress } from '../core/item-keys.ts'
import { attempt, nameOf } from './attempt-call.ts'
import { counterUpdate } from './counter-update.ts'
import { timeLimit, type DynamoClients } from './dynamo-client.ts'
import type { Counters } from './fleet-store.ts'
import type { TableItem } from './item-codec.ts'
import type { QuotaStore, QuotaWrite } from './quota-store.ts'

type Tools = {
  clients: DynamoClients
  table: string
  countersOf(attributes: TableItem): Counters
  /** Throws where an answer does not hold what every answer of a table does. */
  promised<Part>(part: Part | undefined): Part
}

/** An update on condition that none of these counters is larger. */
function updateOf({ add, set, remove, most, expiresAt }: QuotaWrite) {
  const counted = { ...add, ...set }
  // What is added and removed at once begins anew.
  const update = counterUpdate(counted, [...remove, ...Object.keys(set)], expiresAt, undefined)
  const bounds = Object.entries(most)
  if (bounds.length === 0) return update
  const clauses = bounds.map((_, index) => `(attribute_not_exists(#m${index}) OR #m${index} <= :m${index})`)
  return {
    ...update,
    ConditionExpression: clauses.join(' AND '),
    ExpressionAttributeNames: {
      ...update.ExpressionAttributeNames,
      ...Object.fromEntries(bounds.map(([name], index) => [`#m${index}`, name])),
    },
    ExpressionAttributeValues: {
      ...update.ExpressionAttributeValues,
      ...Object.fromEntries(bounds.map(([, value], index) => [`:m${index}`, value])),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
}

/** Numbers as the error of a failed condition holds them, which no client translates. */
function numbersOf(error: unknown): Counters | null {
  const item = error instanceof Error && 'Item' in error ? error.Item : null
  if (typeof item !== 'object' || item === null) return null
  const numbers = Object.entries(item).flatMap(([name, value]): [string, number][] =>
    typeof value === 'object' && value !== null && 'N' in value ? [[name, Number(value.N)]] : [],
  )
  return Object.fromEntries(numbers)
}

/** The counters of quotas in the table of the fleet. */
export function createDynamoQuotas({ clients, table, countersOf, promised }: Tools): QuotaStore {
  const { reads, limits } = clients
  return {
    writeQuota: write =>
      attempt('counting a quota', async () => {
        const command = new UpdateCommand({
          TableName: table,
          Key: quotaAddress(write.key),
          ...updateOf(write),
          ReturnValues: 'ALL_NEW',
        })
        try {
          const limit = timeLimit(limits.writeMs)
          const { Attributes } = await clients.writes.send(command, limit)
          return { granted: true, counters: countersOf(promised(Attributes)) }
        } catch (error) {
          if (nameOf(error) !== 'ConditionalCheckFailedException') throw error
          const numbers = numbersOf(error)
          return { granted: false, counters: numbers && countersOf(numbers) }
        }
      }),

    readQuotas: keys =>
      attempt('reading quotas', async () => {
        const Keys = keys.map(quotaAddress)
        const query = new BatchGetCommand({ RequestItems: { [table]: { Keys } } })
        const { Responses, UnprocessedKeys } = await reads.send(query, {
          abortSignal: AbortSignal.timeout(limits.readMs),
        })
        if (UnprocessedKeys && Object.keys(UnprocessedKeys).length > 0) throw new Error('throttled')
        const found = promised(Responses)[table] ?? []
        const byAddress = new Map(found.map(item => [`${item['pk']} ${item['sk']}`, countersOf(item)]))
        return keys.map(key => byAddress.get(key) ?? {})
      }),
  }
}
