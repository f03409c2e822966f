import { DeleteCommand, type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'

const isMet = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException'

/** Deletes what has expired, as the table's time to live does in AWS. `now` in epoch milliseconds. */
export async function sweepExpired(
  client: DynamoDBDocumentClient,
  table: string,
  now: number,
): Promise<void> {
  const expired = {
    TableName: table,
    ExpressionAttributeValues: { ':now': Math.floor(now / 1_000) },
  }
  const pages = paginateScan(
    { client },
    { ...expired, FilterExpression: 'expiresAt < :now', ProjectionExpression: 'pk, sk' },
  )
  for await (const { Items = [] } of pages) {
    for (const { pk, sk } of Items) {
      const item = { ...expired, Key: { pk, sk }, ConditionExpression: 'expiresAt < :now' }
      // Written again since: it has not expired any more.
      await client.send(new DeleteCommand(item)).catch((error: unknown) => {
        if (!isMet(error)) throw error
      })
    }
  }
}
