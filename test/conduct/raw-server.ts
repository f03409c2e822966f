import { createServer, type Socket } from 'node:net'
import { parseJsonObject, type JsonObject } from '../../lambdas/core/json.ts'
import type { Clock } from '../../lambdas/platform/clock.ts'
import { listenOnLoopback } from '../support/upstreams/listen-on-loopback.ts'
import { apiOf, type ApiName } from './voices.ts'
import { createWire, type Wire } from './wire.ts'

/** One request as the server counted it. Instants in epoch milliseconds. */
export type Call = {
  readonly api: ApiName
  readonly model: string
  readonly body: JsonObject
  readonly at: number
  /** When the caller closed the connection before it had the whole answer; null where it did not. */
  leftAt: number | null
}

/** Answers, or misbehaves; the call's number counts from 1 for each model. */
export type Play = (wire: Wire, call: Call, callNumber: number, firstAt: number) => Promise<void> | void

export type RawServer = AsyncDisposable & {
  /** The base URL, with `/v1`. */
  readonly url: string
  /** Every request for this model, in order. */
  callsFor(model: string): readonly Call[]
}

const HEAD_END = '\r\n\r\n'

type Taken = { path: string; body: JsonObject; rest: Buffer }

/** The first whole request in these bytes, and what follows it; null while it is not complete. */
function takeRequest(bytes: Buffer): Taken | null {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return null
  const head = bytes.toString('latin1', 0, headEnd)
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  const begin = headEnd + HEAD_END.length
  if (bytes.length < begin + length) return null
  const body = parseJsonObject(bytes.toString('utf8', begin, begin + length))
  const [, path = ''] = head.split(' ')
  return { path, body: body ?? {}, rest: bytes.subarray(begin + length) }
}

/** A server that writes its own HTTP, so that it can break in ways that an HTTP library would not let it. */
export async function startRawServer(
  play: Play,
  { pace, clock }: { pace: number; clock: Clock },
): Promise<RawServer> {
  const sockets = new Set<Socket>()
  const calls: Call[] = []
  const callsFor = (model: string): readonly Call[] => calls.filter(call => call.model === model)

  async function answer(socket: Socket, left: AbortSignal, { path, body }: Taken): Promise<void> {
    const call: Call = { api: apiOf(path), model: String(body.model), body, at: clock.now(), leftAt: null }
    calls.push(call)
    const noteDeparture = (): void => {
      call.leftAt = clock.now()
    }
    left.addEventListener('abort', noteDeparture, { once: true })
    const wire = createWire(socket, { left, pace, clock })
    const all = callsFor(call.model)
    try {
      await play(wire, call, all.length, all[0]?.at ?? call.at)
    } catch (error) {
      if (!left.aborted) throw error
    } finally {
      left.removeEventListener('abort', noteDeparture)
    }
  }

  const server = createServer({ noDelay: true }, socket => {
    const disconnect = new AbortController()
    let bytes = Buffer.alloc(0)
    let isAnswering = false
    sockets.add(socket)
    // A caller that leaves with a reset is no fault of the server.
    socket.on('error', () => disconnect.abort())
    // Node would otherwise tell of a disconnect only when something is written next.
    socket.once('end', () => disconnect.abort())
    socket.once('close', () => {
      disconnect.abort()
      sockets.delete(socket)
    })
    async function answerAll(): Promise<void> {
      if (isAnswering) return
      isAnswering = true
      for (let request = takeRequest(bytes); request; request = takeRequest(bytes)) {
        bytes = Buffer.from(request.rest)
        await answer(socket, disconnect.signal, request)
      }
      isAnswering = false
    }
    socket.on('data', (piece: Buffer) => {
      bytes = Buffer.concat([bytes, piece])
      void answerAll()
    })
  })
  const port = await listenOnLoopback(server)

  return {
    url: `http://127.0.0.1:${port}/v1`,
    callsFor,
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
