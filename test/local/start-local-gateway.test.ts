import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import shippedConfig from '#gateway-config'
import { createRequestMemory } from '../../infra/local/request-memory.ts'
import { type LocalGateway, startLocalGateway } from '../../infra/local/start-local-gateway.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'

const memory = createRequestMemory()
let gateway: LocalGateway
// Each test meets a fleet that remembers nothing yet.
beforeEach(async () => {
  gateway = await startLocalGateway({
    config: parseGatewayConfig(shippedConfig),
    variables: {},
    port: 0,
    memory,
    log: line => {
      if ('event' in line && line.event === 'request-completed') memory.remember(line as never)
    },
    onHandlerError: error => expect.fail(String(error)),
    pace: 0,
  })
})
afterEach(() => gateway.close())

function ask(model: string, { stream = true, headers = {} } = {}): Promise<Response> {
  return fetch(`${gateway.facts.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'What is a backstop?' }] }),
  })
}

const outcomes = (response: Response): string[] =>
  (response.headers.get('x-backstop-chain') ?? '')
    .split(' > ')
    .filter(hop => hop !== '')
    .map(hop => hop.split(';').slice(0, -1).join(' '))

describe('without any key', () => {
  test.each([true, false])('the first request to gpt-4o shows a fallback (stream: %s)', async stream => {
    const response = await ask('gpt-4o', { stream })
    expect(response.status).toBe(200)
    expect(outcomes(response)).toEqual([
      'openai/gpt-4o rate_limit 429',
      'openrouter/deepseek/deepseek-chat:free model_unavailable 404',
      'groq/llama-3.1-8b-instant ok 200',
    ])
    expect(await response.text()).toContain('simulated')
  })

  test('a replica stands in for one that is over capacity', async () => {
    const response = await ask('llama-3.3-70b')
    await response.text()
    expect(outcomes(response)).toEqual([
      'groq/llama-3.3-70b-versatile overloaded 503',
      'openrouter/meta-llama/llama-3.3-70b-instruct:free ok 200',
    ])
  })

  test('the demonstrations can be asked for', async () => {
    const models = (await (await fetch(`${gateway.facts.url}/v1/models`)).json()) as {
      data: { id: string }[]
    }
    expect(models.data.map(({ id }) => id)).toEqual(expect.arrayContaining([...gateway.facts.demonstrations]))
    expect(models.data[0]?.id).toBe('gpt-4o')
  })

  test.each([
    ['demo-rate-limited', ['simulated/rate-limited rate_limit 429', 'simulated/well ok 200']],
    ['demo-over-capacity', ['simulated/over-capacity overloaded 503', 'simulated/well ok 200']],
    ['demo-dead-host', ['simulated-dead-host/any network ', 'simulated/well ok 200']],
    ['demo-silent', ['simulated/silent timeout ', 'simulated/well ok 200']],
    ['demo-slow', ['simulated/slow ok 200']],
  ])('%s answers in spite of what is broken', async (alias, expected) => {
    const response = await ask(alias)
    expect(await response.text()).toMatch(/data: \[DONE\]\n\n$/)
    expect(outcomes(response)).toEqual(expected)
  })

  test('demo-cut is told in the stream, and buffered it fails over', async () => {
    const cut = await (await ask('demo-cut')).text()
    expect(cut).toContain('data: {"error":')
    expect(cut).not.toContain('[DONE]')
    const buffered = await ask('demo-cut', { headers: { 'x-backstop-buffer': '1' } })
    expect(await buffered.text()).toMatch(/data: \[DONE\]\n\n$/)
    expect(outcomes(buffered).at(-1)).toBe('simulated/well ok 200')
  })

  test('demo-all-down fails with every hop named', async () => {
    const response = await ask('demo-all-down')
    expect(response.status).toBeGreaterThanOrEqual(429)
    expect(outcomes(response).map(hop => hop.split(' ')[0])).toEqual(
      expect.arrayContaining([
        'simulated/rate-limited',
        'simulated/over-capacity',
        'simulated-dead-host/any',
      ]),
    )
  })

  test('a request is remembered under its id', async () => {
    await (await ask('gpt-4o', { headers: { 'x-request-id': 'remember-me' } })).text()
    const response = await fetch(`${gateway.facts.url}/local/requests/remember-me`)
    expect(await response.json()).toMatchObject({
      event: 'request-completed',
      requestId: 'remember-me',
      servedBy: 'groq/llama-3.1-8b-instant',
      attempts: [{ outcome: 'rate_limit' }, { outcome: 'model_unavailable' }, { outcome: 'ok' }],
    })
  })
})

test('with every key set nothing is simulated, and the network may call it, but not look into it', async () => {
  const keyed = await startLocalGateway({
    config: parseGatewayConfig({ models: { a: { tiers: [['openai/gpt-4o']] } } }),
    variables: { OPENAI_API_KEY: 'sk-test', BACKSTOP_CLIENT_KEYS: 'client' },
    port: 0,
    host: '0.0.0.0',
    memory,
    log: () => {},
    onHandlerError: error => expect.fail(String(error)),
  })
  expect(keyed.facts).toMatchObject({ simulated: [], demonstrations: [], clientKeysSet: true })
  expect(keyed.facts.chains[0]?.tiers[0]?.[0]?.baseUrl).toBe('https://api.openai.com/v1')
  for (const url of keyed.facts.networkUrls) {
    const statusOf = async (path: string): Promise<number> => (await fetch(url + path)).status
    expect([
      await statusOf('/healthz'),
      await statusOf('/v1/models'),
      await statusOf('/local/table'),
    ]).toEqual([200, 401, 403])
  }
  await keyed.close()
})

test('warnings reach the banner, the log and the commands', async () => {
  const lines: object[] = []
  const warned = await startLocalGateway({
    config: parseGatewayConfig({ models: { a: { tiers: [[{ endpoint: 'openai/gpt-4o', weight: 2 }]] } } }),
    variables: { OPENAI_API_KEY: 'sk-test', RETRY_BASE_MS: 'soon' },
    port: 0,
    memory,
    log: line => void lines.push(line),
    onHandlerError: error => expect.fail(String(error)),
  })
  const expected = [
    expect.stringMatching(/^RETRY_BASE_MS is ignored: expected a number/),
    expect.stringMatching(/^models\["a"\]\.tiers\[0\]: the weight has no effect/),
  ]
  expect(warned.facts.warnings).toEqual(expected)
  expect(lines).toEqual(expected.map((warning: unknown) => ({ event: 'config-warning', warning })))
  const table: unknown = await (await fetch(`${warned.facts.url}/local/table`)).json()
  expect(table).toMatchObject({ warnings: expected })
  await warned.close()
})
