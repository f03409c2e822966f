import type { Writable } from 'node:stream'
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

const left = (): Error =>
  Object.assign(new Error('The client closed its connection before the end of its answer.'), {
    code: 'ERR_STREAM_PREMATURE_CLOSE',
  })

/**
 * Writes a body at the pace of the stream, and ends it. Rejects with what the body or the stream ended with; a body that
 * fails ends the stream with it. Node's own `pipeline` makes an error with its stack for each stream that ends well, and its
 * `finished` listens for a dozen things that no response does.
 */
async function write(body: Reply['body'], target: Writable): Promise<void> {
  const { promise: over, resolve, reject } = Promise.withResolvers<void>()
  let isOver = false
  let goOn: () => void = () => undefined
  function endWith(error: unknown): void {
    isOver = true
    if (error) reject(error)
    else resolve()
    goOn()
  }
  // Told below; until then nobody may be waiting for it.
  over.catch(() => undefined)
  target.once('finish', () => endWith(null))
  target.once('close', () => {
    if (!isOver) endWith(left())
  })
  // It stays: a stream that is destroyed with an error may tell it once more.
  target.on('error', endWith)
  if (target.closed) endWith(left())
  try {
    if (typeof body === 'string') {
      // Lambda's stream sends status and headers before the first write, and not before an end that brings the body.
      target.write(body)
      target.end()
    } else {
      for await (const text of body) {
        if (isOver) break
        if (target.write(text)) continue
        const room = Promise.withResolvers<void>()
        goOn = room.resolve
        target.once('drain', goOn)
        await room.promise
        target.off('drain', goOn)
      }
      target.end()
    }
  } catch (error) {
    target.destroy(error instanceof Error ? error : new Error(String(error)))
    throw error
  }
  await over
}

/**
 * Sends a reply at the client's pace, and resolves when it is sent and everything behind it is settled: Lambda
 * freezes the process the moment the handler resolves. A client that leaves is no error, nor is a connection that is cut
 * on purpose; rejects with any other.
 */
export async function send({ status, headers, body, close }: Reply, open: OpenResponse): Promise<void> {
  try {
    const target = open({ statusCode: status, headers })
    await write(body, target)
  } catch (error) {
    if (!isDisconnect(error)) throw error
  } finally {
    await close?.()
  }
}
