import { createServer } from 'node:http'
import { listenOnLoopback } from '../support/upstreams/listen-on-loopback.ts'

export type SecretsServer = AsyncDisposable & { readonly endpoint: string; readonly reads: number }

/** Secrets Manager, as far as one secret is read from it. */
export async function startSecretsServer(secret: object): Promise<SecretsServer> {
  let reads = 0
  const server = createServer((request, response) => {
    request.resume()
    reads += 1
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
    response.end(JSON.stringify({ Name: 'test', VersionId: '1', SecretString: JSON.stringify(secret) }))
  })
  const port = await listenOnLoopback(server)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    get reads() {
      return reads
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
