import type { Agent } from 'node:https'
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

const READ_ATTEMPTS = 2

/** In milliseconds; a request that runs past its limit is really aborted. */
export type DynamoLimits = { connectionMs: number; requestMs: number }
/** While a request goes on, which must not wait for the table. */
const REQUEST_LIMITS: DynamoLimits = { connectionMs: 300, requestMs: 500 }
/** Where nobody else waits: commands, probes, a look at the whole table. */
export const PATIENT_LIMITS: DynamoLimits = { connectionMs: 2_000, requestMs: 5_000 }

type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string }

/** Where the table is and who asks; what is absent the SDK finds by itself, as in a Lambda. */
export type DynamoAccess = Partial<DynamoDBClientConfig> & {
  endpoint?: string
  region?: string
  credentials?: Credentials | (() => Promise<Credentials>)
  /** What opens connections, where a proxy stands before the table. */
  httpsAgent?: Agent
}

export type DynamoClients = {
  /** A read that failed may be asked again. */
  reads: DynamoDBDocumentClient
  /** A counter is never repeated: an `ADD` whose answer was lost would count twice. */
  writes: DynamoDBDocumentClient
  /** How long a call may take in all, answers that trickle included; milliseconds. */
  limits: { readMs: number; writeMs: number }
  destroy(): void
}

/** Clients of one table. */
export function createDynamoClients(
  { httpsAgent, ...access }: DynamoAccess = {},
  { connectionMs, requestMs }: DynamoLimits = REQUEST_LIMITS,
): DynamoClients {
  const client = (maxAttempts: number): DynamoDBClient =>
    new DynamoDBClient({
      ...access,
      maxAttempts,
      requestHandler: {
        ...(httpsAgent && { httpsAgent }),
        connectionTimeout: connectionMs,
        requestTimeout: requestMs,
        // Without it the SDK only warns.
        throwOnRequestTimeout: true,
        // The request timeout ends with the headers: this one is for a body that stalls.
        socketTimeout: requestMs,
      },
    })
  const reader = client(READ_ATTEMPTS)
  let writer: { client: DynamoDBClient; translating: DynamoDBDocumentClient } | null = null
  const translation = {
    marshallOptions: { removeUndefinedValues: true },
    // By default one number too large for a double makes the whole answer unreadable.
    unmarshallOptions: { wrapNumbers: Number },
  }
  return {
    reads: DynamoDBDocumentClient.from(reader, translation),
    // An instance reads before it answers first, and writes after: one that starts makes what it needs.
    get writes() {
      if (writer === null) {
        const made = client(1)
        writer = { client: made, translating: DynamoDBDocumentClient.from(made, translation) }
      }
      return writer.translating
    },
    limits: {
      readMs: READ_ATTEMPTS * (connectionMs + requestMs),
      writeMs: connectionMs + requestMs,
    },
    destroy: () => {
      reader.destroy()
      writer?.client.destroy()
    },
  }
}
