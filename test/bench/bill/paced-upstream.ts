import { createServer, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { chatChunk, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import { listenOnLoopback } from '../../support/upstreams/listen-on-loopback.ts'

export type PacedUpstream = AsyncDisposable & {
  readonly url: string
  /** How long an answer is from now on, and which share of calls fails. */
  play(answer: { events: number; gapMs: number; failedOf10?: number }): void
  /** What it was sent since the last call, in bytes, headers included, and how many calls failed. */
  take(): { received: number; failed: number }
}

const END = `${sseEvent(chatChunk({}, 'stop'))}data: [DONE]\n\n`
const EVENT = sseEvent(chatChunk({ content: 'token ' }))

/** An upstream that writes one event at a time, as a model does, and fails now and then. */
export async function startPacedUpstream(): Promise<PacedUpstream> {
  let answer = { events: 1, gapMs: 0, failedOf10: 0 }
  let [calls, failed, before] = [0, 0, 0]
  const sockets = new Set<Socket>()
  let gone = 0

  async function serve(response: ServerResponse): Promise<void> {
    const { events, gapMs, failedOf10 } = answer
    calls += 1
    if (calls % 10 < failedOf10) {
      failed += 1
      response.writeHead(503, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"The model is overloaded","type":"server_error"}}')
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let sent = 0; sent < events; sent += 1) {
      if (gapMs > 0) await sleep(gapMs)
      response.write(EVENT)
    }
    response.end(END)
  }

  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => void serve(response))
  })
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => {
      gone += socket.bytesRead
      sockets.delete(socket)
    })
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}/v1`,
    play: next => void (answer = { failedOf10: 0, ...next }),
    take() {
      const all = [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, gone)
      const taken = { received: all - before, failed }
      before = all
      failed = 0
      return taken
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
