import { createServer } from 'node:http'
import type { Page } from '../../page/page-routes.ts'
import { CommandError } from '../../terminal/command-error.ts'

/** A page that is served: where, and how to end it. */
export type ServedPage = { url: string; close(): Promise<void> }

/** Serves a page on loopback. Throws a CommandError where the port is taken. */
export async function servePage(page: Page, port: number): Promise<ServedPage> {
  const server = createServer((request, response) => {
    if (page.route(request, response)) return
    response.writeHead(404, { 'content-type': 'text/plain' }).end('There is only the page at /.')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new CommandError(
              `Port ${port} is already in use. Choose another with --port N, or --port 0 for any free port.`,
            )
          : error,
      ),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  const actual = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://127.0.0.1:${actual}${page.path}`,
    async close() {
      page.close()
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
