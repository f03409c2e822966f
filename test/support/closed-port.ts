import { createServer } from 'node:net'
import { listenOnLoopback } from './listen-on-loopback.ts'

/** A loopback port that nothing listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer()
  const port = await listenOnLoopback(server)
  await new Promise(resolve => server.close(resolve))
  return port
}
