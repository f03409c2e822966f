import { once } from 'node:events'
import { createServer } from 'node:net'

// Below what port 0 is picked from, so that no server of another test gets it while it has to be closed.
const LOWEST = 20_000
const COUNT = 10_000

/** A loopback port that nothing listens on, nor will. */
export async function closedPort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * COUNT)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await new Promise(resolve => server.close(resolve))
    return port
  }
}
