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

const failed = (what: string, error: unknown): StoreError =>
  new StoreError(`${what} failed: ${reasonOf(error)}`, { cause: error })

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
