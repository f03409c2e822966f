import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** The TCP connection that carries a request. */
export type Connection = {
  /** It has served a request before. */
  readonly reused: boolean
  /** The server cut it on purpose. */
  readonly isCut: boolean
  /** `destroy` sends FIN, `reset` sends RST. */
  cut(how: 'destroy' | 'reset'): void
  /** Sends bytes that HTTP knows nothing of, then FIN. */
  endWith(bytes: string): void
}

export type ConnectionTracker = {
  readonly open: number
  readonly accepted: number
  carrierOf(request: IncomingMessage): Connection
  endAll(): void
}

/** Counts a server's connections, and finds the one below a request. */
export function trackConnections(server: Server): ConnectionTracker {
  const socketsByPort = new Map<number | undefined, Socket>()
  const usedSockets = new WeakSet<Socket>()
  let accepted = 0

  server.on('connection', (socket: Socket) => {
    accepted++
    const { remotePort } = socket
    socketsByPort.set(remotePort, socket)
    // A caller that leaves with a reset is no fault of the test.
    socket.on('error', () => {})
    socket.once('close', () => {
      if (socketsByPort.get(remotePort) === socket) socketsByPort.delete(remotePort)
    })
  })

  return {
    get open() {
      return socketsByPort.size
    },
    get accepted() {
      return accepted
    },
    carrierOf(request) {
      // Under TLS the request's own socket is the wrapper, which cannot be reset.
      const socket = socketsByPort.get(request.socket.remotePort) ?? request.socket
      const reused = usedSockets.has(socket)
      usedSockets.add(socket)
      return createConnection(socket, reused)
    },
    endAll() {
      for (const socket of socketsByPort.values()) socket.destroy()
    },
  }
}

function createConnection(socket: Socket, reused: boolean): Connection {
  let isCut = false
  return {
    reused,
    get isCut() {
      return isCut
    },
    cut(how) {
      isCut = true
      if (how === 'reset') socket.resetAndDestroy()
      else socket.destroy()
    },
    endWith(bytes) {
      isCut = true
      socket.end(bytes)
    },
  }
}
