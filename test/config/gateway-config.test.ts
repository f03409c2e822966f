import { describe, expect, expectTypeOf, test } from 'vitest'
import shipped from '#gateway-config'
import { defineGateway, parseGatewayConfig } from '../../lambdas/config/gateway-config.ts'
import type { EndpointReference, GatewayConfig } from '../../lambdas/config/gateway-config.ts'
import { gatewayConfigSchema } from '../../lambdas/config/schema/config-schema.ts'
import { resolveGateway } from '../../lambdas/config/resolve-gateway.ts'
import { problemsOf } from './problems-of.ts'

const withTiers = (...tiers: unknown[]) => ({ models: { m: { tiers } } })
const withProvider = (id: string, provider: unknown) => ({ providers: { [id]: provider }, models: {} })

describe('the shipped configuration', () => {
  test('is valid', () => {
    expect(problemsOf(shipped)).toEqual([])
    expect(gatewayConfigSchema.safeParse(shipped).success).toBe(true)
  })

  test('resolves without a warning', () => {
    const { chains, warnings } = resolveGateway(parseGatewayConfig(shipped))
    expect(warnings).toEqual([])
    expect([...chains.keys()]).toEqual(['gpt-4o', 'llama-3.3-70b', 'claude'])
  })

  test('survives the way through JSON', () => {
    const copy: unknown = JSON.parse(JSON.stringify(shipped))
    expect(parseGatewayConfig(copy)).toEqual(shipped)
  })
})

test.each<[string, unknown]>([
  ['a reference alone', withTiers(['openai/gpt-4o'])],
  ['a model with slashes', withTiers(['openrouter/deepseek/deepseek-chat:free'])],
  [
    'a model with an at sign',
    { ...withProvider('cloudflare', { baseUrl: 'https://c.example' }), models: {} },
  ],
  [
    'everything an endpoint may say',
    withTiers([
      {
        endpoint: 'ollama/llama3.2',
        contextWindow: 8_192,
        tools: false,
        vision: false,
        json: true,
        price: { input: 0, output: 0.5 },
        key: false,
        connectTimeoutMs: 500,
        firstOutputTimeoutMs: 60_000,
        idleTimeoutMs: 60_000,
        totalTimeoutMs: 600_000,
      },
    ]),
  ],
  [
    'a host of your own',
    { providers: { office: { baseUrl: 'http://10.0.0.7:8000/v1', key: false } }, models: {} },
  ],
  ['the older name of the first-output timeout', withProvider('groq', { firstEventTimeoutMs: 30_000 })],
  ['no models', { models: {} }],
])('%s is accepted', (_, config) => {
  expect(problemsOf(config)).toEqual([])
})

describe('types', () => {
  test('an editor has each provider to offer, and those of the configuration', () => {
    type Offered = Extract<EndpointReference<'office'>, 'groq/' | 'office/' | 'nobody/'>
    expectTypeOf<Offered>().toEqualTypeOf<'groq/' | 'office/'>()
  })

  test('the compiler knows references, ids and settings', () => {
    const config = defineGateway({
      providers: { groq: {}, office: { baseUrl: 'https://llm.example.com/v1' } },
      models: { m: { tiers: [['groq/a', { endpoint: 'office/b/c', tools: true }]] } },
      settings: { content_filter: 'next' },
    })
    expectTypeOf(config).toEqualTypeOf<GatewayConfig>()
    expect(problemsOf(config)).toEqual([])
  })

  test('and refuses what is none', () => {
    // @ts-expect-error -- no such provider
    defineGateway({ models: { m: { tiers: [['opnai/gpt-4o']] } } })
    // @ts-expect-error -- no slash
    defineGateway({ models: { m: { tiers: [['gpt-4o']] } } })
    // @ts-expect-error -- no such setting
    defineGateway({ models: {}, settings: { retry_max_attempt: 4 } })
    // @ts-expect-error -- not one of the choices
    defineGateway({ models: {}, settings: { content_filter: 'go' } })
    // @ts-expect-error -- no such field
    const config = defineGateway({ providers: { groq: { url: 'https://a.example' } }, models: {} })
    expect(problemsOf(config)).toHaveLength(1)
  })
})
