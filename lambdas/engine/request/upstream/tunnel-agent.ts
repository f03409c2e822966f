import type * as Http from 'node:http'
import type * as Https from 'node:https'
import type { Duplex } from 'node:stream'
import type { HttpProxy, ProxyFor } from '../../../core/http-proxy.ts'
import type { Clock } from '../../../platform/clock.ts'
import { proxyBroke, proxyRefused, proxyStalled } from './proxy-error.ts'
import { UpstreamError } from './upstream-error.ts'

const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')
const tls = process.getBuiltinModule('node:tls')

/** Where the request does not say how long its connection may take to open. */
const CONNECT_MS = 5_000

/** Asks the proxy for a connection to the host. https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6 */
function askProxy(
  proxy: HttpProxy,
  authority: string,
  { ready, failed }: { ready(socket: Duplex): void; failed(error: Error): void },
): Http.ClientRequest {
  const { secure, host, port, authorization } = proxy
  const request = (secure ? https : http).request({
    method: 'CONNECT',
    host,
    port,
    path: authority,
    agent: false,
    headers: {
      host: authority,
      connection: 'keep-alive',
      ...(authorization !== null && { 'proxy-authorization': authorization }),
    },
  })
  request.on('error', error => failed(proxyBroke(proxy, error)))
  request.once('connect', ({ statusCode = 0 }, socket) => {
    if (statusCode >= 200 && statusCode <= 299) return ready(socket)
    socket.destroy()
    failed(proxyRefused(proxy, statusCode))
  })
  request.end()
  return request
}

type Target = { host: string; port: number }
type Opening = {
  ms: number
  clock: Pick<Clock, 'after'>
  done(error: Error | null, socket?: Duplex): void
}

const authorityOf = ({ host, port }: Target): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** Opens an encrypted connection to the host through the proxy, all of it within `ms`. */
function openTunnel(
  proxy: HttpProxy,
  options: Https.RequestOptions & Target,
  { ms, clock, done }: Opening,
): void {
  let encrypted: Duplex | null = null
  let isOver = false
  const end = (error: Error | null): void => {
    if (isOver) return
    isOver = true
    cancel()
    if (error === null && encrypted) return done(null, encrypted)
    encrypted?.destroy()
    request.destroy()
    done(error)
  }
  const cancel = clock.after(ms, () =>
    end(encrypted ? new UpstreamError('BACKSTOP_CONNECT_TIMEOUT') : proxyStalled(proxy)),
  )
  const request = askProxy(proxy, authorityOf(options), {
    failed: end,
    ready(socket) {
      if (isOver) return void socket.destroy()
      const { host, servername = '' } = options
      const names = servername === '' ? { host } : { host, servername }
      encrypted = tls
        .connect({ ...names, socket, ALPNProtocols: ['http/1.1'] }, () => end(null))
        .on('error', end)
    },
  })
}

/**
 * Connections to `https:` hosts, kept alive, through a proxy where one stands before the host. `connectMs` among the
 * options of a request limits how long one may take to open.
 */
export function createTunnelAgent(
  options: Https.AgentOptions,
  proxyFor: ProxyFor,
  clock: Pick<Clock, 'after'>,
): Https.Agent {
  const agent = new https.Agent(options)
  const connectDirectly = agent.createConnection.bind(agent)
  agent.createConnection = (wanted, callback) => {
    const target = { host: wanted.host ?? 'localhost', port: Number(wanted.port ?? 443) }
    const proxy = proxyFor(`https://${authorityOf(target)}`)
    if (proxy === null || !callback) return connectDirectly(wanted, callback)
    const ms = 'connectMs' in wanted && typeof wanted.connectMs === 'number' ? wanted.connectMs : CONNECT_MS
    openTunnel(
      proxy,
      { ...wanted, ...target },
      {
        ms,
        clock,
        done: (error, socket) => void Reflect.apply(callback, agent, [error, socket]),
      },
    )
    return undefined
  }
  return agent
}
