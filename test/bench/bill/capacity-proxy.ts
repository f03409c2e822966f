import { createServer, type IncomingMessage } from 'node:http'
import * as z from 'zod/mini'
import { listenOnLoopback } from '../../support/upstreams/listen-on-loopback.ts'

/** What DynamoDB would bill, in request units. */
export type Capacity = { reads: number; writes: number }

export type CapacityProxy = AsyncDisposable & {
  readonly endpoint: string
  /** Since the last call of it. */
  take(): Capacity
}

const consumed = z.object({ CapacityUnits: z.number() })
const answerSchema = z.looseObject({
  ConsumedCapacity: z.optional(z.union([consumed, z.array(consumed)])),
})

const LEAST_READ = 0.5
const LEAST_WRITE = 1

const READS = /\.(?:GetItem|BatchGetItem|Query|TransactGetItems)$/

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

/** Stands before a DynamoDB, asks with each request what it consumes, and adds that up. */
export async function startCapacityProxy(target: string): Promise<CapacityProxy> {
  let counted: Capacity = { reads: 0, writes: 0 }
  const server = createServer((request, response) => {
    const pass = async (): Promise<void> => {
      const operation = String(request.headers['x-amz-target'])
      const asked = JSON.parse(await textOf(request)) as object
      const answer = await fetch(target, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': operation,
          authorization: String(request.headers['authorization']),
          'x-amz-date': String(request.headers['x-amz-date']),
        },
        body: JSON.stringify({ ...asked, ReturnConsumedCapacity: 'TOTAL' }),
      })
      const text = await answer.text()
      const { ConsumedCapacity } = answerSchema.parse(JSON.parse(text))
      const units = [ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0)
      // The least that is billed, also for a query that finds nothing and a condition that fails.
      if (READS.test(operation)) counted.reads += Math.max(units, LEAST_READ)
      else counted.writes += Math.max(units, LEAST_WRITE)
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(text)
    }
    pass().catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  const port = await listenOnLoopback(server)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    take() {
      const taken = counted
      counted = { reads: 0, writes: 0 }
      return taken
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
