import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnLoopback } from '../support/upstreams/listen-on-loopback.ts'

/** What a function answered, as the platform got it. */
export type Answered = {
  kind: 'answered' | 'failed'
  /** Posted in chunks, while the function was still at work. */
  streamed: boolean
  headers: Record<string, unknown>
  /** In order, with the time of their arrival (`performance.now()`). */
  chunks: readonly { at: number; bytes: Buffer }[]
}

export type InvokeOptions = {
  /** How long the function may take, as it is told. */
  limitMs?: number | undefined
  /** Called when a part of the answer comes. */
  onChunk?: () => void
}

export type RuntimeApi = {
  /** `host:port`, as the runtime client wants it. */
  readonly address: string
  /** Hands an event to the next instance that asks; resolves when its answer is complete. */
  invoke(event: unknown, options?: InvokeOptions): Promise<Answered>
  /** Resolves when an instance has started and asks for work. */
  ready(): Promise<void>
  /** What functions could not begin for. */
  readonly initErrors: readonly string[]
  close(): Promise<void>
}

type Waiting = { id: string; event: unknown; deadline: number }

const NEXT = '/2018-06-01/runtime/invocation/next'
const RESULT = /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/
const LIMIT_MS = 60_000

async function receive(request: IncomingMessage, isError: boolean, onChunk?: () => void): Promise<Answered> {
  const chunks: { at: number; bytes: Buffer }[] = []
  for await (const bytes of request) {
    chunks.push({ at: performance.now(), bytes: bytes as Buffer })
    onChunk?.()
  }
  const streamed = request.headers['lambda-runtime-function-response-mode'] === 'streaming'
  return { kind: isError ? 'failed' : 'answered', streamed, headers: request.headers, chunks }
}

/** The Runtime API that Lambda offers to a runtime, for one instance at a time. */
export async function startRuntimeApi(): Promise<RuntimeApi> {
  const queue: Waiting[] = []
  const results = new Map<
    string,
    { settle: (answered: Answered) => void; onChunk: InvokeOptions['onChunk'] }
  >()
  const initErrors: string[] = []
  let asking: ServerResponse | null = null
  let whenAsked = Promise.withResolvers<void>()
  let invocations = 0

  function handOver(): void {
    const [work] = queue
    if (!asking || !work) return
    queue.shift()
    asking.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': work.id,
      'lambda-runtime-deadline-ms': String(work.deadline),
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:eu-central-1:123456789012:function:test',
      'lambda-runtime-trace-id': 'Root=1-5759e988-bd862e3fe1be46a994272793',
    })
    asking.end(JSON.stringify(work.event))
    asking = null
    whenAsked = Promise.withResolvers()
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === NEXT) {
      asking = response
      whenAsked.resolve()
      return handOver()
    }
    const [, id = '', ending] = RESULT.exec(request.url ?? '') ?? []
    const asked = results.get(id)
    const answered = await receive(request, ending === 'error', asked?.onChunk)
    response.writeHead(202, { 'content-type': 'application/json' }).end('{}')
    if (asked) asked.settle(answered)
    else initErrors.push(Buffer.concat(answered.chunks.map(({ bytes }) => bytes)).toString())
  }

  const server = createServer((request, response) => void serve(request, response))
  const port = await listenOnLoopback(server)
  return {
    address: `127.0.0.1:${port}`,
    initErrors,
    ready: () => whenAsked.promise,
    async invoke(event, { limitMs = LIMIT_MS, onChunk } = {}) {
      invocations += 1
      const id = `00000000-0000-4000-8000-${String(invocations).padStart(12, '0')}`
      const answered = new Promise<Answered>(settle => results.set(id, { settle, onChunk }))
      queue.push({ id, event, deadline: Date.now() + limitMs })
      handOver()
      return answered.finally(() => results.delete(id))
    },
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
