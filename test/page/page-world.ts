import { createServer, type ServerResponse } from 'node:http'
import { createLocalLog } from '../../infra/local/local-log.ts'
import { createRequestMemory } from '../../infra/local/request-memory.ts'
import { startLocalGateway } from '../../infra/local/start-local-gateway.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { listenOnLoopback } from '../support/upstreams/listen-on-loopback.ts'

/** How the hosts behind the gateway behave, by the provider's name. */
const HOSTS = {
  /** Answers, and tells what it cost. */
  steady: response => answer(response),
  backup: response => answer(response),
  /** Over its rate limit for a while. */
  limited: response =>
    refuse(response, 429, 'Rate limit reached. Please try again in 600s.', { 'retry-after': '600' }),
  /** Knows none of its models any more. */
  gone: response => refuse(response, 404, 'The model `old` does not exist or you do not have access to it.'),
  /** Speaks no API. */
  garbled: response => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>'),
  broken: response => refuse(response, 500, 'Internal error <b>while</b> loading'),
} satisfies Record<string, (response: ServerResponse) => void>

export type HostName = keyof typeof HOSTS

export type PageWorld = AsyncDisposable & {
  /** Where the page is, with its token where it has one. */
  pageUrl: string
  url: string
  ask(model: string, more?: { stream?: boolean; key?: string }): Promise<Response>
}

const usage = { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20, cost: 0.0003 }
const chunk = (delta: object, finish: string | null = null, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`

function answer(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(chunk({ role: 'assistant', content: 'A net that stops ' }))
  response.write(chunk({ content: '<img src=x onerror="document.title=1">' }))
  response.end(`${chunk({}, 'stop', { usage })}data: [DONE]\n\n`)
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(
    JSON.stringify({ error: { message, type: 'error', code: status === 404 ? 'model_not_found' : null } }),
  )
}

const isHost = (name: string): name is HostName => Object.hasOwn(HOSTS, name)

/** A local gateway with its page, whose providers behave as their names say; no machine but this one is called. */
export async function openPageWorld(
  models: Record<string, { tiers: readonly (readonly string[])[] }>,
  variables: Record<string, string> = {},
): Promise<PageWorld> {
  const server = createServer((request, response) => {
    const host = /^\/(\w+)\//.exec(request.url ?? '')?.[1] ?? ''
    request.resume()
    request.once('end', () => (isHost(host) ? HOSTS[host](response) : refuse(response, 404, 'no such host')))
  })
  const port = await listenOnLoopback(server)
  const names = [...Object.keys(HOSTS), 'keyless']
  const config = parseGatewayConfig({
    providers: Object.fromEntries(
      names.map(name => [
        name,
        { baseUrl: `http://127.0.0.1:${port}/${name}/v1`, ...(name === 'keyless' ? {} : { key: false }) },
      ]),
    ),
    models,
    // What is refused once shall be seen at once.
    settings: { retry_base_ms: 1 },
  })
  const memory = createRequestMemory()
  const gateway = await startLocalGateway({
    config,
    variables,
    port: 0,
    memory,
    log: createLocalLog({ memory, json: false, write: () => undefined }),
    onHandlerError: () => undefined,
  })
  const { url, pageUrl } = gateway.facts
  return {
    url,
    pageUrl,
    ask: (model, { stream = true, key } = {}) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) },
        body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'What is a backstop?' }] }),
      }),
    async [Symbol.asyncDispose]() {
      await gateway.close()
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
