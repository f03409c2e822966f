import { createServer } from 'node:http'
import { chatChunk, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import { listenOnLoopback } from '../../support/upstreams/listen-on-loopback.ts'

export type InstantUpstream = AsyncDisposable & { readonly url: string }

const CHUNKS = [chatChunk({ role: 'assistant', content: 'Hello there.' }), chatChunk({}, 'stop')]
const ANSWER = `${CHUNKS.map(sseEvent).join('')}data: [DONE]\n\n`

/** An upstream that answers at once and in one piece, so that what is measured is not its own time. */
export async function startInstantUpstream(): Promise<InstantUpstream> {
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(ANSWER))
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
