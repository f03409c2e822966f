import http from 'node:http'
import { listenOnLoopback } from '../../support/upstreams/listen-on-loopback.ts'

/** A way to the table that knows whether its gateway is still talking to it. */
export type TableProxy = AsyncDisposable & {
  url: string
  /** Nothing is being asked of the table now. */
  readonly idle: boolean
  /** How often it was asked. */
  readonly asked: number
  /** Closes every connection, as a server does with what has been idle for long. */
  hangUp(): void
}

/** Passes on what one gateway asks of the table at `endpoint`. */
export async function startTableProxy(endpoint: string): Promise<TableProxy> {
  const agent = new http.Agent({ keepAlive: true })
  let busy = 0
  let asked = 0
  const server = http.createServer((request, response) => {
    busy += 1
    asked += 1
    response.once('close', () => void (busy -= 1))
    const { method, headers } = request
    const onward = http.request(endpoint, { method, headers, agent }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  server.keepAliveTimeout = 0
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    get idle() {
      return busy === 0
    },
    get asked() {
      return asked
    },
    hangUp: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}
