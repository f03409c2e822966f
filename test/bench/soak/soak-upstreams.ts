import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { chatChunk, sseEvent } from '../../support/upstreams/chat-bodies.ts'
import { closedPort } from '../../support/upstreams/closed-port.ts'
import { listenOnLoopback } from '../../support/upstreams/listen-on-loopback.ts'

/** How an upstream fails; each has a provider and a model of its own, and a healthy one behind it. */
export const FAULTS = ['refuse', 'reset', 'limited', 'broken', 'cut', 'silent'] as const
export type Fault = (typeof FAULTS)[number]

const EVENTS = 12
const TOKEN = sseEvent(chatChunk({ content: 'token ' }))
const END = `${sseEvent(chatChunk({}, 'stop'))}data: [DONE]\n\n`
const LONG_EVERY_MS = 1_000
const FIRST_OUTPUT_MS = 200
/** Larger than what sockets hold, so that a slow reader is felt. */
const LARGE = sseEvent(chatChunk({ content: 'x'.repeat(20_000) }))

function error(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end('{"error":{"message":"It is not possible now."}}')
}

/** One server that answers, and fails in every way; long streams end when they are told to. */
export async function startSoakUpstreams() {
  const over = new AbortController()
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => void serve(request.url?.split('/')[1] ?? '', response).catch(() => undefined))
  })

  async function stream(response: ServerResponse, event: string): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let sent = 0; sent < EVENTS && !response.destroyed; sent += 1) {
      response.write(event)
      await sleep(1)
    }
    response.end(END)
  }

  async function serve(kind: string, response: ServerResponse): Promise<void> {
    switch (kind) {
      case 'silent':
        return
      case 'reset':
        return void response.destroy()
      case 'limited':
        return error(response, 429)
      case 'broken':
        return error(response, 500)
      case 'cut':
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(TOKEN.repeat(EVENTS / 2))
        await sleep(5)
        return void response.destroy()
      case 'long':
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        while (!over.signal.aborted && !response.destroyed) {
          response.write(TOKEN)
          await sleep(LONG_EVERY_MS)
        }
        return void response.end(END)
      default:
        return stream(response, kind === 'large' ? LARGE : TOKEN)
    }
  }

  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const refusing = `http://127.0.0.1:${await closedPort()}`
  const providers = ['well', 'large', 'long', ...FAULTS].map(name => [
    name,
    {
      baseUrl: name === 'refuse' ? refusing : `${url}/${name}/v1`,
      key: false,
      ...(name === 'silent' && { firstOutputTimeoutMs: FIRST_OUTPUT_MS }),
      // A place that is not given back is missed after a part of the requests.
      ...(name === 'well' && { quotas: { concurrency: 500 } }),
    },
  ])
  const configuration = {
    providers: Object.fromEntries(providers) as object,
    models: {
      well: { tiers: [['well/m']] },
      large: { tiers: [['large/m']] },
      long: { tiers: [['long/m']] },
      ...Object.fromEntries(FAULTS.map(fault => [fault, { tiers: [[`${fault}/m`], ['well/m']] }])),
    },
    clients: { '*': { concurrency: 800 } },
    // What fails is called again and again: nothing is learned from it.
    settings: {
      retry_base_ms: 0,
      local_cooldown_max_ms: 0,
      endpoint_suspect_threshold: 100,
      endpoint_quarantine_threshold: 100,
      breaker_min_requests: 1_000,
      endpoint_probes_disabled: true,
    },
  }
  return {
    configuration,
    /** Lets the long streams come to their end. */
    endLongStreams: () => over.abort(),
    async [Symbol.asyncDispose]() {
      over.abort()
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
