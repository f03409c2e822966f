import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { MAX_BODY_BYTES, RESPONSE_HEADERS } from '../../lambdas/contract.ts'
import { openAiErrorReply } from '../../lambdas/http/replies/openai-error.ts'
import { retryHeaders } from '../../lambdas/http/replies/response-headers.ts'
import type { StreamingHandler } from '../../lambdas/platform/lambda-stream.ts'
import { answerPreflight, exposeToOrigin, isLocalCall, originRefusal, refuseOrigin } from './cross-origin.ts'
import { awaitHalfClosed } from './half-closed.ts'
import { LOOPBACK, isLoopback } from './listening-host.ts'
import { installLambdaGlobal } from './lambda-global.ts'
import { type LocalServer, listenLocally } from './loopback-server.ts'
import { readBody } from './request-body.ts'
import { requestEvent } from './request-event.ts'

/** A route of the local server alone; true when it has taken the request. */
export type LocalRoute = (request: IncomingMessage, response: ServerResponse) => boolean

export type FunctionUrlOptions = {
  handler: StreamingHandler
  /** 0 picks a free one. */
  port: number
  /** 127.0.0.1, where none is given. */
  host?: string
  /** Callers need a client key: pages of every origin may call, as in AWS. Else those of this machine alone. */
  keyed?: boolean
  /** Tried in order, before the handler, for callers on this machine alone. */
  routes?: readonly LocalRoute[]
  /** What a handler threw; the client only learns that it did. */
  onHandlerError?: (error: unknown) => void
}

// Lambda's longest timeout, which is what the stack gives the gateway.
const HANDLER_TIMEOUT_MS = 900_000
/** What an answer gets to end with an error event. */
const ENDING_MS = 500
// A client still sending a refused body gets this long to read why, before the connection is closed.
const REFUSAL_LINGER_MS = 2_000

/** Serves a streaming Lambda handler as its Function URL would. */
export async function startFunctionUrl(options: FunctionUrlOptions): Promise<LocalServer> {
  installLambdaGlobal()
  const running = new Set<Promise<void>>()
  const shutdown = new AbortController()
  // Every answer that runs listens to it.
  setMaxListeners(0, shutdown.signal)
  const server = createServer((request, response) => {
    // Only a client that left in the middle of its body makes this reject, and then there is no one to tell.
    const served = serve(options, shutdown.signal, request, response).catch(() => void response.destroy())
    running.add(served)
    void served.then(() => running.delete(served))
  })
  awaitHalfClosed(server)
  const listening = await listenLocally(server, options.port, options.host)
  async function close(graceMs = 0): Promise<void> {
    // What still runs then is told so, and has a moment to say it to its client before its connection is cut.
    const stop = setTimeout(() => shutdown.abort(), graceMs)
    await listening.close(graceMs + ENDING_MS)
    clearTimeout(stop)
    // A handler goes on after its last byte: what it still writes must find its table.
    await Promise.all(running)
  }
  return { ...listening, close }
}

async function serve(
  options: FunctionUrlOptions,
  shutdown: AbortSignal,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { keyed = false, host = LOOPBACK } = options
  const refusal = originRefusal(request, { keyed, isOpen: !isLoopback(host) })
  if (refusal !== null) return refuseOrigin(response, refusal)
  if (isLocalCall(request) && options.routes?.some(route => route(request, response))) return
  if (answerPreflight(request, response, keyed)) return
  exposeToOrigin(request, response, keyed)
  const before = response.getHeaderNames()
  const body = await readBody(request, MAX_BODY_BYTES)
  if (body === null) return refuseBody(request, response)
  const now = Date.now()
  const event = requestEvent(request, body, { requestId: randomUUID(), now })
  // A write to a client that has left is an error, and one without a listener would end the process.
  response.on('error', () => undefined)
  const context = {
    shutdown,
    getRemainingTimeInMillis: () => Math.max(0, now + HANDLER_TIMEOUT_MS - Date.now()),
  }
  try {
    await options.handler(event, response, context)
    if (!response.writableEnded && !response.destroyed)
      throw new Error('The handler returned without ending its response')
  } catch (error) {
    options.onHandlerError?.(error)
    if (response.headersSent) response.destroy()
    else if (!response.destroyed) failAsPlatform(response, before)
  }
}

function refuseBody(request: IncomingMessage, response: ServerResponse): void {
  const message = `The request body is larger than ${MAX_BODY_BYTES} bytes, which is the platform's limit. Send less.`
  const { status, headers, body } = openAiErrorReply({ code: 'payload_too_large', message })
  const text = String(body)
  response.writeHead(status, {
    ...headers,
    ...retryHeaders(null),
    'content-length': Buffer.byteLength(text),
    [RESPONSE_HEADERS.requestId]: randomUUID(),
  })
  response.write(text)
  const linger = setTimeout(() => request.socket.destroy(), REFUSAL_LINGER_MS).unref()
  // Ended any sooner, a connection that is not kept alive would be reset under a client that is still sending.
  request.once('end', () => response.end())
  request.once('close', () => clearTimeout(linger)).resume()
}

function failAsPlatform(response: ServerResponse, before: readonly string[]): void {
  // Those of the handler say nothing any more; those for a page's origin do.
  for (const name of response.getHeaderNames()) if (!before.includes(name)) response.removeHeader(name)
  response.writeHead(502, { 'content-type': 'text/plain' }).end('Internal Server Error')
}
