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

/** The time for a call was over before it was sent: the process had too much else to do. */
export class UnsentError extends Error {
  override readonly name = 'UnsentError'
}

const beginnings = new WeakMap<AbortSignal, () => void>()

/**
 * The time limit of a call, which begins anew when the call is sent: a process that is busy may take as long for what comes
 * before, and would then end a call that waits for its connection as if the table were slow.
 */
export function timeLimit(ms: number): { abortSignal: AbortSignal } {
  const limit = new AbortController()
  // After a block of the event loop, what has come meanwhile, and the limit of the connection, go first.
  let ending: NodeJS.Immediate | undefined
  const end = (): void => void (ending = setImmediate(() => limit.abort()))
  const begin = (): NodeJS.Timeout => setTimeout(end, ms).unref()
  let timer = begin()
  beginnings.set(limit.signal, () => {
    clearTimeout(timer)
    clearImmediate(ending)
    timer = begin()
  })
  return { abortSignal: limit.signal }
}

/** Tells calls whose time was over before they were sent from those that were sent, and may have been carried out. */
function tellUnsent({ middlewareStack }: DynamoDBClient): void {
  middlewareStack.add(
    (next, context) => args => {
      const signal = context['__smithy_context']?.['abortSignal']
      if (signal instanceof AbortSignal) {
        if (signal.aborted) throw new UnsentError('The time was over.')
        beginnings.get(signal)?.()
      }
      return next(args)
    },
    // The last step before the call is sent.
    { step: 'deserialize', priority: 'low', name: 'tellUnsent' },
  )
}

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
  /** How long a call may take in all, answers that trickle included, and a write since it was sent; milliseconds. */
  limits: { readMs: number; writeMs: number }
  destroy(): void
}

/** Clients of one table. */
export function createDynamoClients(
  { httpsAgent, ...access }: DynamoAccess = {},
  { connectionMs, requestMs }: DynamoLimits = REQUEST_LIMITS,
): DynamoClients {
  const client = (maxAttempts: number, answerMs: number): DynamoDBClient =>
    new DynamoDBClient({
      ...access,
      maxAttempts,
      requestHandler: {
        ...(httpsAgent && { httpsAgent }),
        connectionTimeout: connectionMs,
        requestTimeout: answerMs,
        // Without it the SDK only warns.
        throwOnRequestTimeout: true,
        // The request timeout ends with the headers: this one is for a body that stalls.
        socketTimeout: answerMs,
      },
    })
  const reader = client(READ_ATTEMPTS, requestMs)
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
        // Its calls have a limit of their own, which can tell what was never sent.
        const made = client(1, 2 * requestMs)
        tellUnsent(made)
        writer = { client: made, translating: DynamoDBDocumentClient.from(made, translation) }
      }
      return writer.translating
    },
    limits: {
      readMs: READ_ATTEMPTS * (connectionMs + requestMs),
      writeMs: requestMs,
    },
    destroy: () => {
      reader.destroy()
      writer?.client.destroy()
    },
  }
}
