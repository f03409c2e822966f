import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { attempt } from './attempt-call.ts'
import { counterUpdate } from './counter-update.ts'
import { timeLimit, type DynamoClients } from './dynamo-client.ts'
import type { Counters } from './fleet-store.ts'
import type { TableItem } from './item-codec.ts'
import type { UsageStore } from './usage-store.ts'

type Tools = {
  clients: DynamoClients
  table: string
  countersOf(attributes: TableItem): Counters
  /** Throws where an answer does not hold what every answer of a table does. */
  promised<Part>(part: Part | undefined): Part
}

/** The counters of use in the table of the fleet. */
export function createDynamoUsage({ clients, table, countersOf, promised }: Tools): UsageStore {
  const { reads, limits } = clients
  return {
    addUsage: (Key, add, remove, expiresAt) =>
      attempt('counting use', async () => {
        const command = new UpdateCommand({
          TableName: table,
          Key,
          ...counterUpdate(add, remove, expiresAt, undefined),
          ReturnValues: 'ALL_NEW',
        })
        const limit = timeLimit(limits.writeMs)
        const { Attributes } = await clients.writes.send(command, limit)
        return countersOf(promised(Attributes))
      }),

    readUsage: (pk, first, last) =>
      attempt('reading use', async () => {
        const found: { sk: string; counters: Counters }[] = []
        let startKey: TableItem | undefined
        do {
          const query = new QueryCommand({
            TableName: table,
            KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
            ExpressionAttributeValues: { ':pk': pk, ':first': first, ':last': last },
            ConsistentRead: true,
            ...(startKey ? { ExclusiveStartKey: startKey } : {}),
          })
          const limit = { abortSignal: AbortSignal.timeout(limits.readMs) }
          const { Items, LastEvaluatedKey } = await reads.send(query, limit)
          for (const item of promised(Items))
            found.push({ sk: String(item['sk']), counters: countersOf(item) })
          startKey = LastEvaluatedKey
        } while (startKey)
        return found
      }),
  }
}
