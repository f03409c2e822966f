import { LOOPBACK, localUrl } from './listening-host.ts'
import type { Server, ServerResponse } from 'node:http'

const HIGHEST_PORT = 65_535

/** A server on this machine. */
export type LocalServer = {
  port: number
  /** How it is called from this machine. */
  url: string
  /** Stops accepting, lets what runs come to its end, and cuts what is left after the grace. */
  close(graceMs?: number): Promise<void>
}

/** Listens on loopback, or where it is told to; a port that is taken is reported in words. */
export async function listenLocally(server: Server, port: number, host = LOOPBACK): Promise<LocalServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListenError(error, host, port)))
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const actualPort = typeof address === 'object' && address !== null ? address.port : port
  return {
    port: actualPort,
    url: localUrl(host, actualPort),
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

function explainListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(
      `Port ${port} is already in use: perhaps the gateway runs already. Choose another one: npm start -- --port ${port === HIGHEST_PORT ? 0 : port + 1}`,
    )
  if (error.code === 'EACCES')
    return new Error(`Port ${port} needs root privileges. Choose one above 1023 with --port N.`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAFNOSUPPORT')
    return new Error(
      `This machine has no address ${host} to listen on (${error.code}). Choose one with --host ADDRESS.`,
    )
  return error
}
