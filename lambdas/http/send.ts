import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CutConnectionError } from './cut-connection-error.ts'
import type { Reply } from './replies/reply.ts'

/** Begins a response: sends status and headers, returns the stream that takes the body. */
export type OpenResponse = (prelude: { statusCode: number; headers: Record<string, string> }) => Writable

/** How a client that left shows when it is written to. */
const DISCONNECTS: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'ABORT_ERR',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_UNABLE_TO_PIPE',
  'ERR_STREAM_WRITE_AFTER_END',
])

const isDisconnect = (error: unknown): boolean =>
  error instanceof CutConnectionError ||
  (error instanceof Error && 'code' in error && DISCONNECTS.has(error.code))

/**
 * Sends a reply at the client's pace, and resolves when it is sent and everything behind it is settled: Lambda
 * freezes the process the moment the handler resolves. A client that leaves is no error, nor is a connection that is cut
 * on purpose; rejects with any other.
 */
export async function send({ status, headers, body, close }: Reply, open: OpenResponse): Promise<void> {
  try {
    const target = open({ statusCode: status, headers })
    await pipeline(typeof body === 'string' ? [body] : body, target)
  } catch (error) {
    if (!isDisconnect(error)) throw error
  } finally {
    await close?.()
  }
}
