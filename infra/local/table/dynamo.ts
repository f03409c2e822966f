import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { readProxies } from '../../../lambdas/config/read-proxies.ts'
import { createAgents } from '../../../lambdas/engine/request/upstream/call-upstream.ts'
import { systemClock } from '../../../lambdas/platform/clock.ts'
import type { DynamoAccess } from '../../../lambdas/store/dynamo-client.ts'
import { createTable } from './create-table.ts'
import { localAccess, type Variables } from '../../../lambdas/store/local-access.ts'
import { startTableThread } from './table-thread.ts'

export type EmbeddedDynamo = { endpoint: string; close(): Promise<void> }

export type LocalTable = {
  endpoint: string
  table: string
  /** False: it belongs to whoever runs the endpoint, and other gateways may share it. */
  embedded: boolean
  /** What the clients of the table need. */
  access: DynamoAccess
  close(): Promise<void>
}

/** The name of the table on every local endpoint, so that gateways that share one find each other. */
export const LOCAL_TABLE = 'backstop'

/** More turns of the event loop than any request to dynalite takes. */
const TURNS_OF_A_REQUEST = 200

/** Runs a DynamoDB in this process, on a free port of 127.0.0.1. What it holds is gone when it closes. */
export async function startEmbeddedDynamo(): Promise<EmbeddedDynamo> {
  const { default: dynalite } = await import('dynalite')
  const server = dynalite({ createTableMs: 0 })
  // dynalite throws what a request that breaks off reports, and nobody could catch it there.
  server.on('request', request => {
    request.removeAllListeners('error')
    request.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The embedded DynamoDB has no port.')
  const { port } = address
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      // A request whose client is gone goes on, and would throw where nobody could catch it once the table is closed.
      for (let turn = 0; turn < TURNS_OF_A_REQUEST; turn += 1) await nextTurn()
      const closed = new Promise<void>((resolve, reject) =>
        server.close(error => (error ? reject(error) : resolve())),
      )
      server.closeAllConnections()
      await closed
    },
  }
}

async function prepareTable(access: DynamoAccess): Promise<void> {
  const client = new DynamoDBClient(access)
  try {
    await createTable(client, LOCAL_TABLE)
  } finally {
    client.destroy()
  }
}

/**
 * The fleet's table on this machine: at `AWS_ENDPOINT_URL_DYNAMODB` where that is set (several gateways, one
 * memory), else in a DynamoDB of its own that ends with it: in this thread, or in one with a heap of its own.
 */
export async function openLocalTable(
  variables: Variables,
  { inThread = false }: { inThread?: boolean } = {},
): Promise<LocalTable> {
  const shared = variables['AWS_ENDPOINT_URL_DYNAMODB']
  const embedded = shared ? null : await (inThread ? startTableThread() : startEmbeddedDynamo())
  const endpoint = shared || (embedded?.endpoint ?? '')
  const close = async (): Promise<void> => embedded?.close()
  const { proxyFor } = readProxies(variables)
  const access = {
    ...localAccess(endpoint, variables),
    ...(proxyFor?.(endpoint) && { httpsAgent: createAgents(systemClock, proxyFor).https }),
  }
  try {
    await prepareTable(access)
  } catch (error) {
    await close()
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`Cannot open the state table at ${endpoint}: ${reason}`, { cause: error })
  }
  return { endpoint, table: LOCAL_TABLE, embedded: embedded !== null, access, close }
}
