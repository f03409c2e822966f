import type * as Http from 'node:http'
import type * as Https from 'node:https'
import type { Readable } from 'node:stream'
import type { Clock } from '../../../platform/clock.ts'
import { decodeContent } from './decode-content.ts'
import { UpstreamError } from './upstream-error.ts'

// An import of node:http reads all that it exports, and so loads undici before the function is ready.
const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')

/** One keep-alive agent a protocol and instance. */
export type Agents = { http: Http.Agent; https: Https.Agent }

export type UpstreamCall = {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  body: Buffer
  connectMs: number
  /** On a connection of its own, which cannot be stale: what may arrive only once must not be sent again unseen. */
  fresh?: boolean
  /** Its reason becomes the error of the call, whatever stage it is in. */
  signal: AbortSignal
}

export type UpstreamResponse = {
  status: number
  headers: Record<string, string>
  /** Decompressed. Destroying it ends the call. */
  body: Readable
}

/** The network forgets what is idle, and a frozen instance cannot notice: an older connection is not used again. */
const LONGEST_IDLE_MS = 30_000

/** When connections were last used, in epoch milliseconds. */
const idleSince = new WeakMap<object, number>()

/** The connections of this instance; close them with `destroy()`. */
export function createAgents(now: () => number): Agents {
  const options = { keepAlive: true, maxFreeSockets: 64 }
  const agents = { http: new http.Agent(options), https: new https.Agent(options) }
  for (const agent of Object.values(agents)) agent.on('free', socket => void idleSince.set(socket, now()))
  return agents
}

/** Lets go of connections that have been idle for too long; timers cannot do it, because they freeze too. */
function dropIdle({ freeSockets }: Http.Agent, now: number): void {
  for (const sockets of Object.values(freeSockets)) {
    for (const socket of sockets ?? []) {
      if (now - (idleSince.get(socket) ?? now) > LONGEST_IDLE_MS) socket.destroy()
    }
  }
}

const flatten = (headers: Http.IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )

/** Destroys the target with the signal's reason; stops listening when the target has closed. */
function endWithSignal(target: Http.ClientRequest | Readable, signal: AbortSignal): () => void {
  const end = (): void => void target.destroy(signal.reason)
  const release = (): void => signal.removeEventListener('abort', end)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  target.once('close', release)
  return release
}

/** Ends the request unless its socket is connected (and its TLS established) within `ms`. */
function limitConnecting(request: Http.ClientRequest, secure: boolean, ms: number, clock: Clock): void {
  request.once('socket', socket => {
    if (!socket.connecting) return
    const cancel = clock.after(ms, () => request.destroy(new UpstreamError('BACKSTOP_CONNECT_TIMEOUT')))
    socket.once(secure ? 'secureConnect' : 'connect', cancel)
    request.once('close', cancel)
  })
}

/** A reset on a reused socket before any response byte is our own connection gone stale, not the host's fault. */
const wentStale = (request: Http.ClientRequest, error: NodeJS.ErrnoException): boolean =>
  request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

function send(
  call: UpstreamCall,
  agent: Http.Agent | false,
  clock: Clock,
): Promise<UpstreamResponse | 'stale'> {
  const secure = call.url.startsWith('https:')
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamResponse | 'stale'>()
  const request = (secure ? https : http).request(call.url, {
    method: call.method,
    agent,
    headers: call.method === 'GET' ? call.headers : { ...call.headers, 'content-length': call.body.length },
  })
  const release = endWithSignal(request, call.signal)
  limitConnecting(request, secure, call.connectMs, clock)
  request.on('error', error => {
    if (!call.signal.aborted && wentStale(request, error)) resolve('stale')
    else reject(error)
  })
  // An upgrade that nobody asked for closes the socket without an error: no call may end without a word.
  request.once('close', () => reject(new UpstreamError('BACKSTOP_MALFORMED')))
  request.once('response', response => {
    release()
    const headers = flatten(response.headers)
    const body = decodeContent(response, headers['content-encoding'])
    // Between two reads nobody listens, and an error without a listener would end the process.
    body.on('error', () => undefined)
    endWithSignal(body, call.signal)
    resolve({ status: response.statusCode ?? 0, headers, body })
  })
  request.end(call.body)
  return promise
}

/**
 * Sends one request and resolves when the response's head has come. Rejects with Node's network error, an
 * `UpstreamError`, or the signal's reason. A stale keep-alive socket is replaced once, unseen: a Lambda is frozen
 * between requests, and its sockets die meanwhile.
 */
export async function callUpstream(
  call: UpstreamCall,
  agents: Agents,
  clock: Clock,
): Promise<UpstreamResponse> {
  const kept = call.url.startsWith('https:') ? agents.https : agents.http
  dropIdle(kept, clock.now())
  const agent = call.fresh ? false : kept
  const first = await send(call, agent, clock)
  if (first !== 'stale') return first
  const second = await send(call, false, clock)
  if (second === 'stale') throw new UpstreamError('BACKSTOP_MALFORMED')
  return second
}
