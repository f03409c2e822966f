import type * as Http from 'node:http'
import type * as Https from 'node:https'
import type { Readable } from 'node:stream'
import { urlToHttpOptions } from 'node:url'
import type { HttpProxy, ProxyFor } from '../../../core/http-proxy.ts'
import type { Clock } from '../../../platform/clock.ts'
import { decodeContent } from './decode-content.ts'
import { ProxyError, proxyBroke, proxyRefused, proxyStalled } from './proxy-error.ts'
import { serverNameIn } from './server-name-in.ts'
import { createTunnelAgent } from './tunnel-agent.ts'
import { UpstreamError } from './upstream-error.ts'

// An import of node:http reads all that it exports, and so loads undici before the function is ready.
const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')

/** One keep-alive agent a protocol and instance. */
export type Agents = {
  http: Http.Agent
  https: Https.Agent
  /** What opens an encrypted connection that is used once; false = Node's own. */
  freshHttps: Https.Agent | false
  /** Null = no proxy is set. */
  proxyFor: ProxyFor | null
}

export type UpstreamCall = {
  method: 'GET' | 'POST'
  url: string
  /** Names in lower case. */
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

/** The connections of this instance; close them with `closeAgents`. */
export function createAgents(clock: Pick<Clock, 'now' | 'after'>, proxyFor: ProxyFor | null = null): Agents {
  const options = { keepAlive: true, maxFreeSockets: 256 }
  const agents = {
    http: new http.Agent(options),
    https: proxyFor ? createTunnelAgent(options, proxyFor, clock) : new https.Agent(options),
  }
  for (const agent of Object.values(agents))
    agent.on('free', socket => void idleSince.set(socket, clock.now()))
  return { ...agents, proxyFor, freshHttps: proxyFor ? createTunnelAgent({}, proxyFor, clock) : false }
}

/** Closes what is idle. */
export function closeAgents({ http: plain, https: encrypted }: Agents): void {
  plain.destroy()
  encrypted.destroy()
}

const DROP_EVERY_MS = 1_000
const droppedAt = new WeakMap<Http.Agent, number>()

/** Lets go of connections that have been idle for too long; timers cannot do it, because they freeze too. */
function dropIdle(agent: Http.Agent, now: number): void {
  if (Math.abs(now - (droppedAt.get(agent) ?? 0)) < DROP_EVERY_MS) return
  droppedAt.set(agent, now)
  const { freeSockets } = agent
  for (const sockets of Object.values(freeSockets)) {
    for (const socket of sockets ?? []) {
      if (now - (idleSince.get(socket) ?? now) > LONGEST_IDLE_MS) socket.destroy()
    }
  }
}

function flatten(headers: Http.IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    flat[name] = Array.isArray(value) ? value.join(', ') : (value ?? '')
  }
  return flat
}

/**
 * Destroys a request with the signal's reason, and in its place the body of its response once that has come; stops
 * listening when what it would destroy has closed.
 */
function endWithSignal(request: Http.ClientRequest, signal: AbortSignal): (body: Readable) => void {
  let target: Http.ClientRequest | Readable = request
  const end = (): void => void target.destroy(signal.reason)
  const release = (): void => signal.removeEventListener('abort', end)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  request.once('close', () => {
    if (target === request) release()
  })
  return body => {
    target = body
    if (signal.aborted) end()
    body.once('close', release)
  }
}

/** Ends the request unless its socket is connected (and its TLS established) in time. */
function limitConnecting(
  request: Http.ClientRequest,
  { secure, proxy }: Route,
  { connectMs }: UpstreamCall,
  clock: Clock,
): void {
  request.once('socket', socket => {
    if (!socket.connecting) return
    const late = (): Error => (proxy ? proxyStalled(proxy) : new UpstreamError('BACKSTOP_CONNECT_TIMEOUT'))
    const cancel = clock.after(connectMs, () => request.destroy(late()))
    socket.once(secure ? 'secureConnect' : 'connect', cancel)
    request.once('close', cancel)
  })
}

/** A reset on a reused socket before any response byte is our own connection gone stale, not the host's fault. */
const wentStale = (request: Http.ClientRequest, error: NodeJS.ErrnoException): boolean =>
  request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

/** How a call goes: to its host, or as a plain one to the proxy, which is told the whole URL. */
type Route = { secure: boolean; proxy: HttpProxy | null; kept: Http.Agent | null; fresh: Http.Agent | false }

function routeOf(url: string, { http: plain, https: encrypted, freshHttps, proxyFor }: Agents): Route {
  if (url.startsWith('https:')) return { secure: true, proxy: null, kept: encrypted, fresh: freshHttps }
  const proxy = proxyFor?.(url) ?? null
  // The agent for encrypted connections would look for a proxy before the proxy.
  return { secure: proxy?.secure ?? false, proxy, kept: proxy?.secure ? null : plain, fresh: false }
}

const LENGTH = 'content-length'
const MOST_TARGETS = 1_000
/** Where a URL leads, and the headers that say so. */
type Target = { options: Http.RequestOptions; headers: readonly (readonly [name: string, value: string])[] }
const targets = new Map<string, Target>()

/** The parts of a URL: an instance calls few, and each again and again. */
function targetOf(url: string): Target {
  const known = targets.get(url)
  if (known) return known
  if (targets.size >= MOST_TARGETS) targets.clear()
  const parsed = new URL(url)
  const { protocol, hostname, port, path, auth } = urlToHttpOptions(parsed)
  const login = auth ? `Basic ${Buffer.from(auth).toString('base64')}` : null
  const target: Target = {
    options: { protocol, hostname, port, path },
    headers: [['host', parsed.host], ...(login === null ? [] : [['authorization', login] as const])],
  }
  targets.set(url, target)
  return target
}

/** Names and values in turn: what Node writes as they are, where it would copy and check an object field by field. */
function headerList(call: UpstreamCall, { headers }: Target): string[] {
  const list: string[] = []
  for (const name in call.headers) if (name !== LENGTH) list.push(name, call.headers[name] ?? '')
  for (const [name, value] of headers) if (call.headers[name] === undefined) list.push(name, value)
  if (call.method !== 'GET') list.push(LENGTH, String(call.body.length))
  return list
}

function request(
  call: UpstreamCall,
  { secure, proxy }: Route,
  agent: Http.Agent | false,
): Http.ClientRequest {
  const { method, url, connectMs } = call
  const target = targetOf(url)
  const headers = headerList(call, target)
  const protocol = secure ? https : http
  // Read by the agent that opens tunnels.
  const options: Http.RequestOptions & { connectMs: number } = { method, agent, headers, connectMs }
  if (!proxy) return protocol.request({ ...target.options, ...options, ...serverNameIn(call.headers) })
  const { host, port, authorization } = proxy
  if (authorization !== null) headers.push('proxy-authorization', authorization)
  return protocol.request({ ...options, host, port, path: url })
}

function send(
  call: UpstreamCall,
  route: Route,
  agent: Http.Agent | false,
  clock: Clock,
): Promise<UpstreamResponse | 'stale'> {
  const { proxy } = route
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamResponse | 'stale'>()
  const sent = request(call, route, agent)
  const responded = endWithSignal(sent, call.signal)
  limitConnecting(sent, route, call, clock)
  sent.on('error', error => {
    if (!call.signal.aborted && wentStale(sent, error)) resolve('stale')
    else if (proxy && !call.signal.aborted && !(error instanceof ProxyError)) reject(proxyBroke(proxy, error))
    else reject(error)
  })
  // An upgrade that nobody asked for closes the socket without an error: no call may end without a word.
  const endSilently = (): void => reject(new UpstreamError('BACKSTOP_MALFORMED'))
  sent.once('close', endSilently)
  sent.once('response', response => {
    sent.off('close', endSilently)
    const { statusCode = 0 } = response
    if (proxy && statusCode === 407) {
      response.destroy()
      return reject(proxyRefused(proxy, statusCode))
    }
    const headers = flatten(response.headers)
    const body = decodeContent(response, headers['content-encoding'])
    // Between two reads nobody listens, and an error without a listener would end the process.
    body.on('error', () => undefined)
    responded(body)
    resolve({ status: statusCode, headers, body })
  })
  sent.end(call.body)
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
  const route = routeOf(call.url, agents)
  if (route.kept) dropIdle(route.kept, clock.now())
  const first = await send(call, route, call.fresh ? route.fresh : (route.kept ?? route.fresh), clock)
  if (first !== 'stale') return first
  const second = await send(call, route, route.fresh, clock)
  if (second === 'stale') throw new UpstreamError('BACKSTOP_MALFORMED')
  return second
}
