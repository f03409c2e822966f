import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Reply } from './reply.ts'

/** Begins a response: sends status and headers, returns the stream that takes the body. */
export type OpenResponse = (prelude: { statusCode: number; headers: Record<string, string> }) => Writable

/** A failed write is how a departure shows, and it carries a system's or stream's code; a mistake of ours has none. */
const isDeparture = (error: unknown): boolean => error instanceof Error && 'code' in error

/**
 * Sends a reply at the client's pace, and resolves when it is sent and everything behind it is settled: Lambda
 * freezes the process the moment the handler resolves. A client that leaves is no error; rejects with any other.
 */
export async function send({ status, headers, body, close }: Reply, open: OpenResponse): Promise<void> {
  try {
    const target = open({ statusCode: status, headers })
    await pipeline(typeof body === 'string' ? [body] : body, target)
  } catch (error) {
    if (!isDeparture(error)) throw error
  } finally {
    await close?.()
  }
}
