import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { listenOnLoopback } from './listen-on-loopback.ts'

export type TestProxy = AsyncDisposable & {
  port: number
  url: string
  /** What it was told to reach, in order: `CONNECT host:443`, `POST http://host/v1/…`. */
  asked: string[]
  /** Connections that are open now. */
  readonly open: number
}

type Behaviour = {
  /** Where its hosts are: nothing that it serves exists in any DNS. Everything else it cannot reach (502). */
  hosts?: Readonly<Record<string, number>>
  /** `user:password`; without it nobody is let through. */
  login?: string
  /** Does this with the connection of a `CONNECT` instead of serving it. */
  instead?: (socket: Socket) => void
}

/** A forward proxy as companies have one: tunnels by `CONNECT`, and plain requests by their whole URL. */
export async function startTestProxy({ hosts = {}, login, instead }: Behaviour): Promise<TestProxy> {
  const sockets = new Set<Socket>()
  const asked: string[] = []
  const isKnown = ({ headers }: IncomingMessage): boolean =>
    login === undefined || headers['proxy-authorization'] === `Basic ${Buffer.from(login).toString('base64')}`

  function forward(request: IncomingMessage, response: ServerResponse): void {
    asked.push(`${request.method} ${request.url}`)
    if (!isKnown(request)) return void response.writeHead(407).end('who are you?')
    const { host, pathname } = new URL(request.url ?? '')
    const port = hosts[host]
    if (port === undefined) return void response.writeHead(502).end('no such host')
    const { method, headers } = request
    const onward = sendRequest({ host: '127.0.0.1', port, path: pathname, method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  }

  const server = createServer(forward)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
  })
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`)
    socket.once('end', () => socket.end())
    if (instead) return instead(socket.resume())
    if (!isKnown(request))
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n')
    const port = hosts[request.url ?? '']
    if (port === undefined) return socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    onward.on('error', () => socket.destroy())
    socket.once('close', () => onward.destroy())
  })
  const port = await listenOnLoopback(server)
  return {
    port,
    url: `http://${login === undefined ? '' : `${login}@`}127.0.0.1:${port}`,
    asked,
    get open() {
      return sockets.size
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
