import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { systemClock, type Clock } from '../../../lambdas/platform/clock.ts'
import { compileScript } from './answer-script.ts'
import type { UpstreamScript } from './answer-script.ts'
import { listenOnLoopback } from './listen-on-loopback.ts'
import { playAnswer } from './play-answer.ts'
import { createTestCertificate, type TestCertificate } from './test-certificate.ts'
import { trackConnections } from './track-connections.ts'
import { receiveRequest } from './upstream-request.ts'
import type { ExchangeEnd, UpstreamRequest } from './upstream-request.ts'

export type ScriptedUpstream = AsyncDisposable & {
  /** The base URL, with `/v1`. */
  readonly url: string
  readonly port: number
  /** PEM of the self-signed certificate; null without TLS. */
  readonly certificate: string | null
  /** In the order in which they were received whole. */
  readonly requests: readonly UpstreamRequest[]
  /** How many requests came, or came for this model. */
  calls(model?: string): number
  /** Connections that are open now, and all that were ever accepted. */
  readonly openSockets: number
  readonly acceptedSockets: number
  /** Plays another script from now on; its call numbers begin anew. */
  play(script: UpstreamScript): void
  /** Ends all connections and stops listening. */
  close(): Promise<void>
}

/** A real server on a free loopback port that plays a script, its pauses by this clock, and records what it is asked. */
export async function startUpstream(
  script: UpstreamScript,
  { tls = false, clock = systemClock }: { tls?: boolean | TestCertificate; clock?: Clock } = {},
): Promise<ScriptedUpstream> {
  const credentials = tls === true ? createTestCertificate() : tls || null
  const server = credentials ? createTlsServer(credentials) : createServer()
  // A connection that the server closes on its own would be a fault that no script asked for.
  server.keepAliveTimeout = 0
  const connections = trackConnections(server)
  const requests: UpstreamRequest[] = []
  let answerTo = compileScript(script)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = connections.carrierOf(request)
    const ended = new Promise<ExchangeEnd>(resolve => {
      response.once('close', () => {
        resolve(response.writableFinished ? 'answered' : connection.isCut ? 'cut' : 'aborted')
      })
    })
    const received = await receiveRequest(request, { reusedSocket: connection.reused, ended })
    requests.push(received)
    await playAnswer(response, connection, await answerTo(received), clock)
  }

  server.on('request', (request: IncomingMessage, response: ServerResponse) => void serve(request, response))
  const port = await listenOnLoopback(server)

  async function close(): Promise<void> {
    const closed = new Promise(resolve => server.close(resolve))
    connections.endAll()
    await closed
  }

  return {
    url: `${credentials ? 'https' : 'http'}://127.0.0.1:${port}/v1`,
    port,
    certificate: credentials?.cert ?? null,
    requests,
    calls: model => requests.filter(({ body }) => model === undefined || body.model === model).length,
    get openSockets() {
      return connections.open
    },
    get acceptedSockets() {
      return connections.accepted
    },
    play: next => {
      answerTo = compileScript(next)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
