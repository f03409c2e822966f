import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTable } from '../../../infra/local/table/create-table.ts'
import { startEmbeddedDynamo } from '../../../infra/local/table/dynamo.ts'
import { tellSkipped } from '../../support/tell-skipped.ts'
import { missingForDynamoDbLocal, startDynamoDbLocal } from '../../support/tables/dynamodb-local.ts'

const servers = [
  { name: 'dynalite', missing: null, start: startEmbeddedDynamo, expiry: 'DISABLED' },
  {
    name: 'DynamoDB Local',
    missing: missingForDynamoDbLocal(),
    start: startDynamoDbLocal,
    expiry: 'ENABLED',
  },
]

for (const { name, missing, start, expiry } of servers) {
  tellSkipped(`the table on ${name}`, missing)

  describe.skipIf(missing !== null)(`a table on ${name}${missing ? ` (${missing})` : ''}`, () => {
    let client: DynamoDBClient
    let close: (() => Promise<void>) | undefined
    beforeAll(async () => {
      const server = await start()
      const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
      client = new DynamoDBClient({ endpoint: server.endpoint, region: 'us-east-1', credentials })
      close = async () => {
        client.destroy()
        await server.close()
      }
    })
    afterAll(() => close?.())

    it('is on demand, has the keys of the stack, and can be used at once', async () => {
      await createTable(client, 'fresh')
      const { Table } = await client.send(new DescribeTableCommand({ TableName: 'fresh' }))
      expect(Table).toMatchObject({
        TableStatus: 'ACTIVE',
        BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      })
    })

    it(`has its expiry ${expiry.toLowerCase()}, which is what this server can do`, async () => {
      await createTable(client, 'expiring')
      const { TimeToLiveDescription } = await client.send(
        new DescribeTimeToLiveCommand({ TableName: 'expiring' }),
      )
      expect(TimeToLiveDescription?.TimeToLiveStatus).toBe(expiry)
    })

    it('may be created as often as one likes, even at the same time', async () => {
      await Promise.all([1, 2, 3].map(() => createTable(client, 'shared')))
      await expect(createTable(client, 'shared')).resolves.toBeUndefined()
    })
  })
}
