import { describe, expect, test } from 'vitest'
import { configuredChains } from '../../lambdas/config/chains.ts'
import { directChain } from '../../lambdas/config/direct-chain.ts'
import { parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { resolveGateway } from '../../lambdas/config/resolve-gateway.ts'
import type { Endpoint } from '../../lambdas/core/endpoint.ts'
import { DEFAULT_SETTINGS } from '../../lambdas/core/settings/settings.ts'

const resolve = (config: unknown) => resolveGateway(parseGatewayConfig(config))

/** The one endpoint of a configuration with one alias. */
function only(config: unknown): Endpoint {
  const [endpoint] = [...resolve(config).chains.values()].flatMap(({ tiers }) => tiers.flat())
  if (!endpoint) throw new Error('The configuration has no endpoint.')
  return endpoint
}

const oneEndpoint = (entry: unknown, providers = {}, alias = {}) => ({
  providers,
  models: { m: { tiers: [[entry]], ...alias } },
})

test('a chain keeps its tiers, and every field of an endpoint has a value', () => {
  const { chains } = resolve({
    models: { m: { tiers: [['openai/gpt-4o'], ['groq/a', 'openrouter/b/c:free']], buffer: true } },
  })
  const chain = chains.get('m')
  expect(chain?.tiers.map(tier => tier.map(({ id }) => id))).toEqual([
    ['openai/gpt-4o'],
    ['groq/a', 'openrouter/b/c:free'],
  ])
  expect(chain).toMatchObject({ alias: 'm', buffer: true })
  expect(chain?.tiers[1]?.[1]).toEqual({
    id: 'openrouter/b/c:free',
    name: 'openrouter/b/c:free',
    provider: 'openrouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    model: 'b/c:free',
    needsKey: true,
    isLocal: false,
    contextWindow: null,
    tools: null,
    vision: null,
    json: null,
    stream: null,
    droppedParams: [],
    price: null,
    timeouts: {},
    wires: {
      messages: expect.objectContaining({ url: 'https://openrouter.ai/api/v1/messages' }),
      responses: expect.objectContaining({ url: 'https://openrouter.ai/api/v1/responses' }),
    },
  })
})

test('what the owner declares is kept', () => {
  const declared = {
    contextWindow: 64_000,
    tools: true,
    vision: false,
    json: true,
    stream: false,
    price: { input: 1, output: 2 },
  }
  expect(only(oneEndpoint({ endpoint: 'groq/a', ...declared }))).toMatchObject(declared)
})

describe('the id of an endpoint', () => {
  test.each([
    ['is its reference at the base URL of the catalogue', 'groq', {}, 'groq/m'],
    [
      'is so too where the configuration repeats that URL',
      'groq',
      { baseUrl: 'https://API.groq.com:443/openai/v1/' },
      'groq/m',
    ],
    ['names zhipu, not zai', 'zhipu', {}, 'zhipu/m'],
    ['is marked elsewhere', 'groq', { baseUrl: 'https://proxy.example/v1' }, 'groq@68d3a3dc/m'],
    [
      'is marked for a host of your own',
      'office',
      { baseUrl: 'https://llm.example.com/v1' },
      'office@eaefbfb7/m',
    ],
    [
      'has one mark for one place',
      'office',
      { baseUrl: 'https://LLM.example.com/v1//' },
      'office@eaefbfb7/m',
    ],
  ])('%s', (_, provider, config, id) => {
    expect(only(oneEndpoint(`${provider}/m`, { [provider]: config })).id).toBe(id)
  })

  test('does not show in its name', () => {
    const endpoint = only(oneEndpoint('office/m', { office: { baseUrl: 'https://llm.example.com/v1/' } }))
    expect(endpoint).toMatchObject({ name: 'office/m', baseUrl: 'https://llm.example.com/v1' })
  })

  test('keeps versions of an API apart', () => {
    const [older, newer] = ['1', '2'].map(version =>
      only(oneEndpoint('azure/d', { azure: { baseUrl: `https://r.example/d/?api-version=${version}` } })),
    )
    expect(older?.baseUrl).toBe('https://r.example/d?api-version=1')
    expect(older?.id).not.toBe(newer?.id)
  })
})

describe('a key', () => {
  test.each([
    ['is needed by a provider of the catalogue', 'groq/m', {}, true],
    ['is needed by a host of your own', 'office/m', { office: { baseUrl: 'https://a.example' } }, true],
    [
      'is not where the provider says so',
      'office/m',
      { office: { baseUrl: 'https://a.example', key: false } },
      false,
    ],
    ['is not where the endpoint says so', { endpoint: 'groq/m', key: false }, {}, false],
    ['is not by a local server', 'ollama/m', {}, false],
    ['is not by a keyless tier', 'llm7/m', {}, false],
  ])('%s', (_, entry, providers, needsKey) => {
    expect(only(oneEndpoint(entry, providers)).needsKey).toBe(needsKey)
  })
})

describe('timeouts', () => {
  const provider = { nvidia: { firstOutputTimeoutMs: 1_000, idleTimeoutMs: 1_000, connectTimeoutMs: 1_000 } }
  const alias = { firstOutputTimeoutMs: 2_000, idleTimeoutMs: 2_000 }
  const endpoint = { endpoint: 'nvidia/m', firstOutputTimeoutMs: 3_000 }

  test.each([
    ['are absent where nobody sets one', oneEndpoint('groq/m'), {}],
    ['come from the row of the catalogue', oneEndpoint('nvidia/m'), { firstOutputMs: 30_000 }],
    [
      'else from the provider',
      oneEndpoint('nvidia/m', provider),
      { firstOutputMs: 1_000, idleMs: 1_000, connectMs: 1_000 },
    ],
    [
      'else from the alias',
      oneEndpoint('nvidia/m', provider, alias),
      { firstOutputMs: 2_000, idleMs: 2_000, connectMs: 1_000 },
    ],
    [
      'else from the endpoint',
      oneEndpoint(endpoint, provider, alias),
      { firstOutputMs: 3_000, idleMs: 2_000, connectMs: 1_000 },
    ],
    [
      'take the older name',
      oneEndpoint({ endpoint: 'groq/m', firstEventTimeoutMs: 3_000 }),
      { firstOutputMs: 3_000 },
    ],
  ])('%s', (_, config, timeouts) => {
    expect(only(config).timeouts).toEqual(timeouts)
  })
})

test('settings: overrides win over the file, the file over the defaults', () => {
  const config = parseGatewayConfig({ models: {}, settings: { retry_max_attempts: 2, retry_base_ms: 10 } })
  const { settings } = resolveGateway(config, { retry_base_ms: 20 })
  expect(settings).toEqual({ ...DEFAULT_SETTINGS, retry_max_attempts: 2, retry_base_ms: 20 })
})

test('providers are those of the catalogue and of the configuration', () => {
  const { providers } = resolve({ providers: { office: { baseUrl: 'https://a.example' } }, models: {} })
  expect(providers.get('office')?.baseUrl).toBe('https://a.example')
  expect(providers.get('groq')?.baseUrl).toBe('https://api.groq.com/openai/v1')
  expect(providers.get('cloudflare')?.baseUrl).toBeNull()
})

describe('warnings', () => {
  test('tell of a base URL that hardly any host has', () => {
    const at = (baseUrl: string) =>
      resolve({ providers: { office: { baseUrl } }, models: { m: { tiers: [['office/m']] } } })
    expect(at('https://llm.example.com').warnings).toEqual([
      'providers["office"]: the base URL has no path. Most hosts serve the API under /v1: if calls fail with 404, write https://llm.example.com/v1.',
    ])
    expect(at('https://llm.example.com/v1').warnings).toEqual([])
  })

  test('a weight that shares nothing', () => {
    const alone = { models: { m: { tiers: [[{ endpoint: 'groq/a', weight: 3 }], ['groq/b']] } } }
    expect(resolve(alone).warnings).toEqual([
      'models["m"].tiers[0]: the weight has no effect, because the tier has one endpoint; to share requests between endpoints, list them in the same tier.',
    ])
  })

  test('a strategy that weights win over, in the tiers that have some', () => {
    const tiers = [
      [{ endpoint: 'groq/a', weight: 3 }, 'groq/b'],
      ['groq/c', 'groq/d'],
    ]
    expect(resolve({ models: { m: { tiers, strategy: 'fastest' } } }).warnings).toEqual([
      'models["m"].tiers[0]: the weights decide, not the strategy "fastest"; remove the weights to let the strategy order this tier.',
    ])
    expect(resolve({ models: { m: { tiers } } }).warnings).toEqual([])
    expect(
      resolve({ models: { m: { tiers: [['groq/c', 'groq/d']], strategy: 'fastest' } } }).warnings,
    ).toEqual([])
  })

  test('no models', () => {
    expect(resolve({ models: {} }).warnings).toEqual([
      'No models are configured: every chat request will be answered with 404.',
    ])
    expect(resolve({ models: {}, settings: { direct_models: true } }).warnings).toEqual([])
  })
})

describe('a model asked for directly', () => {
  const gateway = resolve(oneEndpoint({ endpoint: 'groq/declared', tools: false }))

  test('is a chain of one', () => {
    expect(directChain(gateway, 'openrouter/a/b:free')).toMatchObject({
      alias: 'openrouter/a/b:free',
      buffer: false,
      tiers: [[{ id: 'openrouter/a/b:free', model: 'a/b:free' }]],
    })
  })

  test('keeps what the configuration declares about it', () => {
    expect(directChain(gateway, 'groq/declared')?.tiers[0]?.[0]?.tools).toBe(false)
  })

  test.each(['m', 'nobody/m', 'groq/', '/m', 'cloudflare/m', '', '__proto__/m'])(
    '%j leads nowhere',
    reference => {
      expect(directChain(gateway, reference)).toBeNull()
    },
  )
})

test.each([
  ['gpt-4', 'gpt-4o'],
  ['GPT4o', 'gpt-4o'],
  ['llama-3.3-70', 'llama-3.3-70b'],
  ['mistral-large', null],
  ['', null],
])('of the aliases, %j meant %j', (name, alias) => {
  const models = { 'gpt-4o': { tiers: [['groq/a']] }, 'llama-3.3-70b': { tiers: [['groq/a']] } }
  expect(configuredChains(resolve({ models })).closest(name, { name: 'anybody' })).toBe(alias)
})
