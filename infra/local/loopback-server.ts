import type { Server, ServerResponse } from 'node:http'

/** A server that listens on 127.0.0.1. */
export type LocalServer = {
  port: number
  url: string
  /** Stops accepting, lets what runs come to its end, and cuts what is left after the grace. */
  close(graceMs?: number): Promise<void>
}

/** Listens on loopback; a port that is taken is reported in words. */
export async function listenOnLoopback(server: Server, port: number): Promise<LocalServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListenError(error, port)))
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  const actualPort = typeof address === 'object' && address !== null ? address.port : port
  return {
    port: actualPort,
    url: `http://127.0.0.1:${actualPort}`,
    close: (graceMs = 0) => closeServer(server, graceMs),
  }
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  // A connection kept alive after its last answer would hold the server open for seconds.
  server.prependListener('request', (_request: unknown, response: ServerResponse) => {
    response.shouldKeepAlive = false
  })
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}

function explainListenError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(
      `Port ${port} is already in use. Choose another with --port N, or --port 0 for any free port.`,
    )
  if (error.code === 'EACCES')
    return new Error(`Port ${port} needs root privileges. Choose one above 1023 with --port N.`)
  return error
}
