import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../lambdas/platform/clock.ts'
import type { JsonObject } from '../../lambdas/core/json.ts'

/** One connection, as whoever answers on it writes to it. */
export type Wire = {
  /** A whole answer. */
  json(status: number, body: JsonObject, headers?: Readonly<Record<string, string>>): void
  /** The head of an answer that comes in pieces. */
  begin(contentType: string): void
  /** One piece, in a chunk of its own. */
  send(text: string): void
  /** The end of such an answer as HTTP wants it. */
  end(): void
  /** Half a piece in a chunk that announces more, then the end of the connection. */
  cut(text: string): void
  /** Ends the connection with a reset. */
  reset(): void
  /** Rejects when the caller leaves meanwhile. Milliseconds of the catalogue: the pace shortens them. */
  pause(ms: number): Promise<void>
}

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

const headOf = (status: number, headers: Readonly<Record<string, string | number>>): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n')
}

/** Writes HTTP to a socket by hand; `pace` is what becomes of a millisecond of the catalogue. */
export function createWire(
  socket: Socket,
  { left, pace, clock }: { left: AbortSignal; pace: number; clock: Clock },
): Wire {
  return {
    json(status, body, headers = {}) {
      const text = JSON.stringify(body)
      const length = Buffer.byteLength(text)
      const head = { 'content-type': 'application/json', 'content-length': length, ...headers }
      socket.write(headOf(status, head) + text)
    },
    begin: contentType => {
      socket.write(headOf(200, { 'content-type': contentType, 'transfer-encoding': 'chunked' }))
    },
    send: text => void socket.write(chunk(text)),
    end: () => void socket.write('0\r\n\r\n'),
    cut: text => {
      const whole = chunk(text)
      socket.end(whole.slice(0, whole.length / 2))
    },
    reset: () => void socket.resetAndDestroy(),
    async pause(ms) {
      await clock.sleep(ms * pace, left)
      left.throwIfAborted()
    },
  }
}
