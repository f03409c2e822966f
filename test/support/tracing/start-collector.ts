import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { buffer } from 'node:stream/consumers'
import { listenOnLoopback } from '../upstreams/listen-on-loopback.ts'
import { readOtlp, type SeenSpan } from './check-otlp.ts'

/** How the collector answers; null = not at all. */
export type CollectorAnswer = { status: number; headers?: Record<string, string>; body?: object } | null

export type Collector = AsyncDisposable & {
  /** Without `/v1/traces`. */
  readonly url: string
  readonly exports: readonly { path: string; headers: IncomingMessage['headers']; spans: number }[]
  /** Of exports that were taken, in the order in which they came. */
  readonly spans: readonly SeenSpan[]
  readonly resource: Record<string, unknown>
  answer: CollectorAnswer
}

/** A real collector of traces on a free loopback port. It takes only what the protocol allows. */
export async function startCollector(): Promise<Collector> {
  const exports: { path: string; headers: IncomingMessage['headers']; spans: number }[] = []
  const spans: SeenSpan[] = []
  const open = new Set<ServerResponse>()
  const collector = { answer: { status: 200, body: {} } as CollectorAnswer, resource: {} }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    open.add(response)
    const bytes = await buffer(request)
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
    let taken: ReturnType<typeof readOtlp>
    try {
      taken = readOtlp(text)
    } catch (error) {
      response.writeHead(400).end(String(error))
      throw error
    }
    exports.push({ path: request.url ?? '', headers: request.headers, spans: taken.spans.length })
    const { answer } = collector
    if (!answer) return
    if (answer.status === 200) {
      spans.push(...taken.spans)
      collector.resource = taken.resource
    }
    response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body ?? {}))
    open.delete(response)
  }

  const server = createServer((request, response) => void take(request, response))
  server.keepAliveTimeout = 0
  const port = await listenOnLoopback(server)
  return Object.assign(collector, {
    url: `http://127.0.0.1:${port}`,
    exports,
    spans,
    async [Symbol.asyncDispose]() {
      for (const response of open) response.destroy()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  })
}

/** The spans of a request: its own, and those of its attempts in order. */
export function traceOf(spans: readonly SeenSpan[]): { request: SeenSpan; attempts: SeenSpan[] } {
  const [request, ...rest] = spans.filter(({ kind }) => kind === 2)
  if (!request || rest.length > 0) throw new Error(`${rest.length + 1} spans of requests`)
  return { request, attempts: spans.filter(({ parentSpanId }) => parentSpanId === request.spanId) }
}
