import { UnsentError } from './dynamo-client.ts'
import type { WriteResult } from './fleet-store.ts'
import { StoreError } from './store-error.ts'

const CONFLICTS: ReadonlySet<string> = new Set([
  'ConditionalCheckFailedException',
  // Of a transaction: a condition failed, or somebody else is writing one of its items now.
  'TransactionCanceledException',
])

export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown')

/** Node's own errors are all called `Error`; their code tells what happened. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : nameOf(error)

/** What Node says of a connection that was refused, or broke off before anything came back. */
const BROKEN: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE'])

/** The SDK's words: its error has no code, and the name of every other time limit. */
const NOT_CONNECTED = /did not establish a connection/

const PERMANENT: ReadonlySet<string> = new Set([
  'ValidationException',
  'ItemCollectionSizeLimitExceededException',
])

/** The table refused, or was not reached. What only took too long has most likely been done. */
function isUnwritten(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // What the table finds fault with in itself would be refused for ever, and whatever else is written with it.
  const isRefused = '$fault' in error && error.$fault === 'client' && !PERMANENT.has(error.name)
  const isUnreached = 'syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo')
  const isBroken = 'code' in error && BROKEN.has(error.code) && !('$response' in error)
  const isUnsent = error instanceof UnsentError
  return isRefused || isUnsent || isUnreached || isBroken || NOT_CONNECTED.test(error.message)
}

const failed = (what: string, error: unknown): StoreError =>
  new StoreError(`${what} failed: ${reasonOf(error)}`, { cause: error, isUnwritten: isUnwritten(error) })

/** Whatever goes wrong becomes a `StoreError`, so that callers need to know one. */
export async function attempt<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw failed(what, error)
  }
}

/** A write whose condition failed is an answer, not an error. */
export async function conditional(what: string, work: () => Promise<unknown>): Promise<WriteResult> {
  try {
    await work()
    return 'written'
  } catch (error) {
    if (CONFLICTS.has(nameOf(error))) return 'conflict'
    throw failed(what, error)
  }
}
