import type { ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { constants, createGzip, gzipSync } from 'node:zlib'
import type { Clock } from '../../../lambdas/platform/clock.ts'
import type { Connection } from './track-connections.ts'
import type { Fault, HttpAnswer, UpstreamAnswer } from './upstream-answer.ts'

/** Rejects when the caller leaves meanwhile. */
type Pause = (delayMs?: number) => Promise<void>

/** As long as a timer can be set. */
const FOR_EVER = 2 ** 31 - 1

/** Gives one answer, or one fault; resolves when there is nothing left to do, also because the caller left. */
export async function playAnswer(
  response: ServerResponse,
  connection: Connection,
  answer: UpstreamAnswer,
  clock: Clock,
): Promise<void> {
  const left = new AbortController()
  response.once('close', () => left.abort())
  const pause: Pause = async (delayMs = 0) => {
    await (delayMs > 0 ? clock.sleep(delayMs, left.signal) : turn())
    left.signal.throwIfAborted()
  }
  try {
    await playTo(response, connection, answer, pause)
  } catch (error) {
    if (!left.signal.aborted) throw error
  }
}

function playTo(
  response: ServerResponse,
  connection: Connection,
  answer: UpstreamAnswer,
  pause: Pause,
): Promise<void> {
  if (!('fault' in answer)) return playHttp(response, connection, answer, pause)
  if (answer.fault !== 'reset-reused-socket') return playFault(connection, answer.fault, pause)
  if (connection.reused) return playFault(connection, 'reset-before-headers', pause)
  return playHttp(response, connection, answer.otherwise, pause)
}

async function playFault(connection: Connection, fault: Fault, pause: Pause): Promise<void> {
  if (fault === 'no-response') await pause(FOR_EVER)
  if (fault === 'reset-before-headers') connection.cut('reset')
  if (fault === 'close-before-headers') connection.cut('destroy')
  if (fault === 'cut-headers') connection.endWith('HTTP/1.1 200 OK\r\ncontent-type: applic')
  if (fault === 'not-http') connection.endWith('220 mail.example.com ESMTP ready\r\n')
}

async function playHttp(
  response: ServerResponse,
  connection: Connection,
  answer: HttpAnswer,
  pause: Pause,
): Promise<void> {
  const { end = 'clean' } = answer
  await pause(answer.headersDelayMs)
  response.writeHead(answer.status ?? 200, headersOf(answer))
  response.flushHeaders()
  await sendPieces(response, answer, pause)
  // Data that is still in a buffer when a socket is reset would be lost with it.
  await pause(answer.endDelayMs ?? (end === 'reset' ? 20 : 0))
  if (end === 'clean') response.end()
  if (end === 'destroy' || end === 'reset') connection.cut(end)
  if (end === 'silence') await pause(FOR_EVER)
}

function headersOf(answer: HttpAnswer): Record<string, string | number> {
  const { body, chunks, gzip, headers } = answer
  const isJson = body !== undefined && typeof body !== 'string'
  return {
    'content-type': chunks ? 'text/event-stream' : isJson ? 'application/json' : 'text/plain; charset=utf-8',
    ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    ...(chunks ? {} : { 'content-length': bodyBytes(answer).length }),
    ...headers,
  }
}

function bodyBytes({ body = '', gzip }: HttpAnswer): Buffer {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return gzip ? gzipSync(bytes) : bytes
}

async function sendPieces(response: ServerResponse, answer: HttpAnswer, pause: Pause): Promise<void> {
  const { chunks, end = 'clean', firstChunkDelayMs, gapMs, gzip } = answer
  if (chunks === undefined) {
    const bytes = bodyBytes(answer)
    await pause(firstChunkDelayMs)
    response.write(end === 'clean' ? bytes : bytes.subarray(0, bytes.length / 2))
    return
  }
  const compressor = gzip ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : null
  compressor?.pipe(response, { end: false })
  for (const [position, chunk] of chunks.entries()) {
    if (typeof chunk === 'object' && 'sleepMs' in chunk) {
      await pause(chunk.sleepMs)
      continue
    }
    await pause(position === 0 ? firstChunkDelayMs : gapMs)
    const written = Promise.withResolvers<void>()
    const destination = compressor ?? response
    destination.write(chunk, () => written.resolve())
    await written.promise
  }
  if (compressor && end === 'clean') {
    const finished = Promise.withResolvers<void>()
    compressor.once('end', finished.resolve)
    compressor.end()
    await finished.promise
  }
}
