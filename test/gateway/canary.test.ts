import { createServer, type RequestListener } from 'node:http'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it, test } from 'vitest'
import { clientProof } from '../../lambdas/compose/client-proof.ts'
import { composeCanary, type CanaryReport } from '../../lambdas/compose/canary.ts'
import { canaryModel } from '../../lambdas/compose/canary-model.ts'
import { readEnvironment } from '../../lambdas/config/environment.ts'
import { startSecretsServer } from '../runtime/secrets-server.ts'
import { configOf, startGateway } from '../support/start-gateway.ts'
import { signatureOf, statedSignature, type SignedRequest } from '../support/signature-of.ts'
import type { UpstreamScript } from '../support/upstreams/answer-script.ts'
import { chatStream, errorAnswer, tokens } from '../support/upstreams/chat-bodies.ts'
import { closedPort } from '../support/upstreams/closed-port.ts'
import { listenOnLoopback } from '../support/upstreams/listen-on-loopback.ts'
import { startUpstream } from '../support/upstreams/scripted-upstream.ts'

const KEY = 'the-generated-client-key'
const ROLE = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'role', AWS_SECRET_ACCESS_KEY: 'role-secret' }

let open = new AsyncDisposableStack()
afterEach(async () => {
  await open.disposeAsync()
  open = new AsyncDisposableStack()
})

/** A canary of this URL, with the key of this secret. */
async function canaryOf(url: string, secret: object = { defaultClientKey: KEY }, limitMs = 20_000) {
  const { endpoint } = open.use(await startSecretsServer(secret))
  const variables = { ...ROLE, BACKSTOP_SECRET: 'test', AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint }
  return composeCanary({ url, model: 'chat', proofOf: clientProof(readEnvironment([], variables)), limitMs })
}

/** The URL of a gateway whose only upstream answers like this. */
async function gatewayOver(script: UpstreamScript): Promise<string> {
  const upstream = open.use(await startUpstream(script))
  const config = configOf({ one: upstream.url }, [['one/m']])
  return `${open.use(await startGateway(config, { BACKSTOP_CLIENT_KEYS: KEY })).url}/`
}

/** The URL of something that is no gateway. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  open.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${await listenOnLoopback(server)}/`
}

/** What the platform would log: everything that the error holds. */
async function failureOf(report: Promise<CanaryReport>): Promise<string> {
  const error: unknown = await report.then(
    ({ finishReason }) => expect.fail(`answered: ${finishReason}`),
    (error: unknown) => error,
  )
  const logged = inspect(error, { depth: 10, showHidden: true })
  expect(logged).not.toContain(KEY)
  expect(logged).not.toContain('role-secret')
  return error instanceof Error ? error.message : String(error)
}

describe('through the URL of a gateway', () => {
  it('gets a whole answer', async () => {
    const { handler } = await canaryOf(await gatewayOver([chatStream(tokens(1))]))
    expect(await handler()).toEqual({ model: 'chat', requestId: expect.any(String), finishReason: 'stop' })
  })

  it('takes an answer that its own limit ends', async () => {
    const thinking = chatStream(tokens(1), { finish: 'length' })
    const { handler } = await canaryOf(await gatewayOver([thinking]))
    expect(await handler()).toMatchObject({ finishReason: 'length' })
  })

  test.each<[string, UpstreamScript, RegExp]>([
    ['nothing answers', [errorAnswer(500, {})], /HTTP 50\d \([a-z_]+\)\. Its ID is .+\.$/],
    ['a key is refused', [errorAnswer(401, { code: 'invalid_api_key' })], /HTTP \d+ \([a-z_]+\)/],
    [
      'a stream is cut',
      [{ ...chatStream(tokens(2), { finish: null }), end: 'destroy' }],
      /the stream broke off \(stream_cut\)/,
    ],
  ])('%s', async (_, script, message) => {
    const { handler } = await canaryOf(await gatewayOver(script))
    expect(await failureOf(handler())).toMatch(message)
  })

  it('says when its own key is refused', async () => {
    const url = await gatewayOver([chatStream(tokens(1))])
    const { handler } = await canaryOf(url, { defaultClientKey: 'another-key' })
    expect(await failureOf(handler())).toMatch(
      /^The canary's request .* failed: HTTP 401 \(invalid_api_key\)/,
    )
  })

  it('asks with a key that somebody made where the generated one is gone', async () => {
    const { handler } = await canaryOf(await gatewayOver([chatStream(tokens(1))]), { clients: { own: KEY } })
    expect(await handler()).toMatchObject({ finishReason: 'stop' })
  })
})

describe('where there is no gateway', () => {
  test.each<[string, RequestListener, RegExp]>([
    ['nothing ever comes', request => void request.resume(), /no whole answer came within 0\.2 s/],
    [
      'the answer never ends',
      (_, response) => void response.writeHead(200).write('data: {"choices":[]}\n\n'),
      /no whole answer came within 0\.2 s/,
    ],
    [
      'the connection breaks off',
      (_, response) => response.writeHead(200).write('data: {}\n\n', () => response.destroy()),
      /no answer \([\w ]+\)/,
    ],
    [
      'the end is missing',
      (_, response) => void response.end('data: {"choices":[{"finish_reason":"stop"}]}\n\n'),
      /the stream broke off without an error/,
    ],
    ['something else answers', (_, response) => void response.end('<html>'), /the stream broke off/],
    [
      'it is sent elsewhere',
      (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
      /HTTP 307 \(no code\)/,
    ],
  ])('%s', async (_, listener, message) => {
    const { handler } = await canaryOf(await serve(listener), { defaultClientKey: KEY }, 200)
    expect(await failureOf(handler())).toMatch(message)
  })

  it('nobody listens', async () => {
    const { handler } = await canaryOf(`http://127.0.0.1:${await closedPort()}/`)
    expect(await failureOf(handler())).toMatch(/no answer \(ECONNREFUSED\)/)
  })

  it('the secret holds no key', async () => {
    const { handler } = await canaryOf('http://127.0.0.1:9/', {})
    expect(await failureOf(handler())).toMatch(/it has nothing to prove who it is/)
  })
})

it('signs for the function where the URL wants it', async () => {
  const arrived: SignedRequest[] = []
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const { method = '', url: path = '', headers } = request
    arrived.push({ method, path, headers, body: Buffer.concat(chunks).toString() })
    response.end('data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
  })
  const { handler } = composeCanary({ url, model: 'chat', proofOf: clientProof(readEnvironment([], ROLE)) })
  expect(await handler()).toMatchObject({ finishReason: 'stop' })
  const [request = expect.fail('nothing arrived')] = arrived
  expect(request.headers['authorization']).toContain('/eu-central-1/lambda/aws4_request')
  expect(statedSignature(request)).toBe(signatureOf(request, 'role-secret'))
})

it('asks for the first model that answers chats, or for the one that is named', () => {
  const models = {
    vectors: { kind: 'embeddings', tiers: [] },
    chat: { tiers: [] },
    other: { tiers: [] },
  } as const
  expect(canaryModel({ models: { ...models } })).toBeNull()
  expect(canaryModel({ models: { ...models }, deploy: { canary: false } })).toBeNull()
  expect(canaryModel({ models: { ...models }, deploy: { canary: true } })).toBe('chat')
  expect(canaryModel({ models: { ...models }, deploy: { canary: { model: 'other' } } })).toBe('other')
})
